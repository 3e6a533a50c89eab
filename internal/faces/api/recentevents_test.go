package api_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Who looks at one thing again and again is told the same as who looks for the first time,
// and hears of what is new: what is remembered of it is not seen.
func TestWhatHappenedToOneThingIsToldAnewEachTime(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	const node = "tiger-h200-i1-001"
	ask := func(limit int32) *musterv1.ListEventsResponse {
		t.Helper()
		r, err := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{About: node, Limit: limit})
		must(t, err)
		return r
	}
	equal(t, "records about the node", len(ask(3).GetRecords()), 1)
	for k := range 4 {
		h.later(time.Minute)
		_, err := h.Fleet.SetNodes(ctx, &musterv1.SetNodesRequest{Names: []string{node}, State: []string{"quarantined", "healthy"}[k%2], Signal: fmt.Sprintf("try %d", k)})
		must(t, err)
		h.submit(gang(fmt.Sprintf("beside%d", k), "flex", 1))
		for range 2 {
			got, whole := ask(3), ask(100)
			equal(t, "records about the node in all", len(whole.GetRecords()), k+2)
			equal(t, "records on a page", len(got.GetRecords()), min(3, k+2))
			equal(t, "whether there are earlier ones", got.GetEarlier(), k+2 > 3)
			equal(t, "the last one", got.GetRecords()[len(got.GetRecords())-1].GetSeq(), whole.GetRecords()[k+1].GetSeq())
		}
	}
	then, err := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{About: node, AsOf: timestamppb.New(noon.Add(90 * time.Second))})
	must(t, err)
	equal(t, "records about the node then", len(then.GetRecords()), 2)
}
