package api_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/retain"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A question about what is not kept any more is refused, and says so. What was gathered of it is still there.
func TestWhatIsNotKeptIsRefusedAndWhatWasGatheredIsThere(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	h.later(20 * 24 * time.Hour)
	h.submit(gang("a", "flex", 1))
	h.submit(gang("b", "flex", 1))
	now := time.Unix(0, h.clock.Load())
	r, err := retain.Trim(ctx, h.journal, fleet.InstantOf(now.Add(-10*24*time.Hour)), retain.Options{Keep: map[string]func([]byte) bool{api.HistoryPart: api.ConcernsQuotas}})
	must(t, err)
	equal(t, "dropped", r.Dropped > 0, true)

	before := timestamppb.New(now.Add(-15 * 24 * time.Hour))
	_, byMoment := h.Capacity.Capacity(ctx, &musterv1.CapacityRequest{AsOf: timestamppb.New(noon.Add(-time.Hour))})
	_, bySince := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{Since: timestamppb.New(noon.Add(-time.Hour))})
	_, byVersion := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{From: 1})
	for what, err := range map[string]error{"by a moment": byMoment, "since a moment": bySince, "by a version": byVersion} {
		equal(t, what, connect.CodeOf(err), connect.CodeInvalidArgument)
		var no *client.Refusal
		if !errors.As(err, &no) || !strings.Contains(no.Message, "are not kept any more") {
			t.Errorf("%s: says %v", what, err)
		}
	}
	_, err = h.Capacity.Capacity(ctx, &musterv1.CapacityRequest{AsOf: before}) // the last moment that is known
	must(t, err)
	last, err := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{})
	must(t, err)
	equal(t, "the first that is listed", last.GetRecords()[0].GetSeq(), r.First)
	changes, err := h.Quotas.History(ctx, &musterv1.HistoryRequest{Quota: "research/oak"})
	must(t, err)
	equal(t, "lines of history", len(changes.GetChanges()), 2)
}
