package cli

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What broke a promise, and why, is read whole on a narrow terminal: it is wrapped, and not cut.
func TestWhatBrokePromisesIsNotCut(t *testing.T) {
	o := &brokenOptions{app: &app{}}
	b := &musterv1.Break{
		At: timestamppb.New(time.Unix(0, 0)), Partition: "tiger/b200", Island: "i2", HorizonHours: 24, Promises: 24, Promised: 10, Whole: 9,
		Lost: []*musterv1.LostNode{{Node: "tiger-b200-i2-003", Cause: "NodeReady (other: not ready for 5 minutes)"}},
	}
	var out strings.Builder
	o.answer(&musterv1.BrokenResponse{Breaks: []*musterv1.Break{b}}).table.show(&out, false, noon, false)
	if got := out.String(); strings.Contains(got, "…") || !strings.Contains(got, "minutes)") || !strings.Contains(got, "003") {
		t.Errorf("something is cut:\n%s", got)
	}
}
