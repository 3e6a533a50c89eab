package simulated_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const hour = fleet.Instant(time.Hour)

// lynx is a cluster whose scale sets stand, whose pipeline runs since
// three o'clock, and whose join failed.
func lynx() (*fleet.Life, *fleet.Blueprint) {
	step := func(s fleet.Step, state fleet.OperationState, started fleet.Instant) fleet.StepState {
		return fleet.StepState{Step: s, Operation: fleet.Operation{ID: "lynx-" + string(s), State: state, Started: started}}
	}
	l := &fleet.Life{
		Record: fleet.ClusterRecord{Name: "lynx", Subscription: "prod", Region: "east", Islands: []fleet.RecordIsland{{Name: "i1", Nodes: 4}}},
		Steps: []fleet.StepState{
			step(fleet.StepScaleSets, fleet.OperationSucceeded, hour),
			step(fleet.StepPipeline, fleet.OperationRunning, 3*hour),
			step(fleet.StepJoin, fleet.OperationFailed, 2*hour),
			step(fleet.StepHealth, fleet.OperationIntended, 0),
		},
	}
	return l, &fleet.Blueprint{
		Meters: []fleet.Meter{{Meter: "cores", PerNode: 96}},
		Takes:  map[fleet.Step]time.Duration{fleet.StepPipeline: 2 * time.Hour},
	}
}

// A server that is started anew finds the outside as it left it.
func TestANewWorldStandsWhereTheOldOneStood(t *testing.T) {
	w := simulated.New(func() fleet.Instant { return 4 * hour })
	l, b := lynx()
	w.Grant("prod", "east", "cores", 1000)
	w.Restore(l, b)
	w.Restore(l, b) // again, as at every start: nothing counts twice
	counts, _ := w.Counts(t.Context(), "prod", "east")
	if len(counts) != 1 || counts[0].Used != 4*96 || counts[0].Limit != 1000 {
		t.Errorf("the cloud counts %+v, want 384 cores of 1000", counts)
	}
	for id, want := range map[string]struct {
		state fleet.OperationState
		again fleet.Instant
	}{"lynx-pipeline": {fleet.OperationRunning, 5 * hour}, "lynx-join": {}, "lynx-health": {}} {
		r, _, _ := w.Find(t.Context(), provision.Order{ID: id})
		if r.State != want.state || r.Again != want.again {
			t.Errorf("%s: %s until %d, want %s until %d", id, r.State, r.Again, want.state, want.again)
		}
	}
}

// A limit that an account has already is not raised at a start.
func TestALimitStaysAtAStart(t *testing.T) {
	w := simulated.New(func() fleet.Instant { return 0 })
	w.SetCloud("prod", "east", fleet.CloudCount{Meter: "cores", Limit: 10})
	w.Grant("prod", "east", "cores", 1000)
	if counts, _ := w.Counts(t.Context(), "prod", "east"); len(counts) != 1 || counts[0].Limit != 10 {
		t.Errorf("the cloud counts %+v, want a limit of 10", counts)
	}
}
