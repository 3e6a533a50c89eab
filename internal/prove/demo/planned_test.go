package demo_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// planned is the demo's planned work at a moment.
type planned struct {
	zoned, ahead bool // a zone is in force on lynx; a notice is ahead
	runs         int  // nodes that run the newest driver
	open, done   int  // rollouts of drivers
	waits        maintenance.Code
}

func plannedOf(w *world) (is planned) {
	w.read(func(s *fleet.State) {
		for _, z := range s.Kept().Zones {
			is.zoned = is.zoned || z.Scope == "lynx" && z.Spans[0].From <= w.now && w.now < z.Spans[0].To
		}
		for _, o := range s.Kept().Notices {
			is.ahead = is.ahead || o.Ended == 0 && o.Starts > w.now
		}
		for _, r := range s.Kept().Rollouts {
			switch {
			case r.Name == "nic-firmware-28":
				if of := maintenance.Of(s, r, w.now); len(of.Waits) > 0 {
					is.waits = of.Waits[0].Code
				}
			case r.Open():
				is.open++
			case r.State == fleet.RolloutDone:
				is.done++
			}
		}
		for _, n := range s.Partition("tiger/h200").Nodes {
			if n.Runs.Version("gpu-driver") >= "580" {
				is.runs++
			}
		}
	})
	return is
}

// An update rolls out while one watches, a zone is in force on one cluster, and a maintenance is announced.
func TestPlannedWorkGoesOnWhileOneWatches(t *testing.T) {
	w := newWorld(t)
	w.pass(time.Minute)
	if is := plannedOf(w); !is.zoned || !is.ahead || is.open != 1 || is.waits != maintenance.NoFlyZone {
		t.Errorf("after a minute: %+v", is)
	}
	w.read(func(s *fleet.State) {
		if len(s.Lives) != 1 || s.Life("badger") == nil || s.BlueprintOf(s.Life("badger")) == nil {
			t.Errorf("%d clusters are built", len(s.Lives))
		}
	})
	w.pass(9 * time.Minute)
	if is := plannedOf(w); is.runs < 2 {
		t.Errorf("after ten minutes %d nodes run the new driver, want the canary's two", is.runs)
	}
	before := plannedOf(w).runs
	w.pass(20 * time.Minute)
	w.sound()
	if is := plannedOf(w); is.runs <= before || !is.zoned {
		t.Errorf("after half an hour: %+v, and %d nodes had the driver after ten minutes", is, before)
	}
	w.pass(80 * time.Minute)
	w.sound()
	if is := plannedOf(w); is.done == 0 || is.open != 1 {
		t.Errorf("after nearly two hours no rollout is done and another one open: %+v", is)
	}
}
