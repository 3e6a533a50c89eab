package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/reason"
)

// TestWhatNoTimeRecoversIsNotBookedAsRoomToCome: of shape, what is too large for
// every island is named; what is only fragmented is not.
func TestWhatNoTimeRecoversIsNotBookedAsRoomToCome(t *testing.T) {
	week := timestamppb.New(time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC))
	said := func(rows ...*musterv1.WaitedFor) string {
		var b bytes.Buffer
		(&page{Writer: &b}).parts(rows)
		return strings.Join(strings.Fields(b.String()), " ")
	}
	apart := &musterv1.WaitedFor{Week: week, Reason: "Fragmented", Part: "shape", GpuHours: 40}
	large := &musterv1.WaitedFor{Week: week, Reason: "GangTooLarge", Part: "shape", GpuHours: 120}
	if got, want := said(apart, large), "120 █ by a smaller gang or a larger grant, not by waiting"; !strings.Contains(got, want) {
		t.Errorf("%q does not say %q", got, want)
	}
	if got := said(apart, large); !strings.Contains(got, "shape █████░░░░░░░░░░░░░░░ 40 ") {
		t.Errorf("%q books what is too large as shape", got)
	}
	if got := said(apart); strings.Contains(got, "too large") {
		t.Errorf("nothing was too large, but it says %q", got)
	}
}

func TestEveryPartOfWaitingHasWords(t *testing.T) {
	for _, part := range reason.Parts() {
		if !slices.ContainsFunc(partWords, func(w struct {
			name reason.Part
			says string
		},
		) bool {
			return w.name == part
		}) {
			t.Errorf("%s has no words in a report", part)
		}
	}
}
