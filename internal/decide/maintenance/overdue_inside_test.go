package maintenance

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Work that runs longer than it declared ends at no known moment: the one that it named is over, and would hide when others end.
func TestWorkThatIsOverdueHasNoKnownEnd(t *testing.T) {
	began := fleet.InstantOf(time.Unix(1, 0))
	w := &fleet.Workload{
		Spec:  fleet.Spec{Namespace: "oak", Name: "long", Target: "research", MaxRuntime: time.Hour, Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 1, Max: 1}}},
		State: fleet.RunningW, Started: began,
	}
	for after, want := range map[time.Duration]fleet.Instant{30 * time.Minute: began.Add(time.Hour), time.Hour: 0, 3 * time.Hour: 0} {
		l := &look{s: &fleet.State{}, now: began.Add(after)}
		if got, ok := l.weigh(&rank{}, &fleet.Node{}, fleet.Resident{Workload: w}, false, false); ok || got.Code != InUse || got.Until != want {
			t.Errorf("after %v: %+v, %v; want it in use until %d", after, got, ok, want)
		}
	}
	later := waits{}
	for _, x := range []Wait{{Code: InUse, Who: "oak/long"}, {Code: InUse, Until: began.Add(time.Hour), Who: "oak/next"}} {
		later.add(x)
	}
	if got := later.sorted()[0]; got.Until != began.Add(time.Hour) || got.Who != "oak/next" {
		t.Errorf("of two, %+v is told", got)
	}
}
