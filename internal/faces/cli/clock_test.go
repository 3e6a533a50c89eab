package cli

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Lengths of time count to and from the moment that is asked about, and moments are told by the day that is now.
func TestLengthsCountToTheMomentThatIsAskedAbout(t *testing.T) {
	began := noon.now.Add(-13 * time.Hour)
	asked := noon
	asked.asOf = began.Add(11 * time.Hour)
	w := &musterv1.Workload{Spec: &musterv1.WorkloadSpec{Name: "train", Namespace: "oak"}, State: "running", Started: timestamppb.New(began)}
	for c, want := range map[clock]string{noon: " for 13h, ", asked: " for 11h, "} {
		var b strings.Builder
		(&page{Writer: &b, clock: c}).standing(w)
		if !strings.Contains(b.String(), want) {
			t.Errorf("as of %s it says %q", c.at(), b.String())
		}
	}
	if got := asked.until(noon.now); got != "in 2h" {
		t.Errorf("from the moment that is asked about it is %q to now", got)
	}
	a := &app{Env: &Env{Now: noonNow, Getenv: func(string) string { return "" }}, lookedAt: asked.asOf}
	if a.clock().at() != asked.asOf {
		t.Error("the clock of a page does not know the moment that is asked about")
	}
}
