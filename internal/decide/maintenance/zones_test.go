package maintenance_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of several zones over a node that one is named which lasts longest: until then nothing begins, whichever was added first.
func TestTheZoneThatLastsLongestIsNamed(t *testing.T) {
	for _, hours := range [][]int{{5, 20, 10}, {20, 10, 5}, {5, 10, 20}} {
		y := neighbours(t, 0, 8)
		y.do(core.MoveRollout{Name: "a", State: fleet.RolloutPaused})
		y.do(core.MoveRollout{Name: "b", State: fleet.RolloutPaused})
		for len(y.s.Kept().Open) > 0 {
			y.visited()
		}
		for i, h := range hours {
			y.do(core.AddZone{Zone: fleet.Zone{
				Name: []string{"x", "y", "z"}[i], Scope: []string{"fleet", "t", "t/g/a"}[i],
				Spans:      []fleet.Span{{From: y.now, To: y.now.Add(time.Duration(h) * time.Hour)}},
				ZoneRecord: fleet.ZoneRecord{Reason: "r", Owner: "o", Link: "l"},
			}})
		}
		y.now = y.now.Add(2 * time.Minute) // the canary's soak is over
		y.do(core.MoveRollout{Name: "a", State: fleet.RolloutRunning})
		until := y.s.Kept().Zones[longest(hours)]
		waits := maintenance.Of(y.s, y.s.Kept().Rollout("a"), y.now).Waits
		if len(waits) != 1 || waits[0].Code != maintenance.NoFlyZone || waits[0].Zone != until.Name || waits[0].Until != until.Spans[0].To {
			t.Errorf("zones of %v hours: the rollout waits for %+v, not for %s", hours, waits, until.Name)
		}
	}
}

func longest(hours []int) (at int) {
	for i, h := range hours {
		if h > hours[at] {
			at = i
		}
	}
	return at
}
