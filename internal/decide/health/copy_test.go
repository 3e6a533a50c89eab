package health_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What happens on a copy of the fleet leaves the fleet alone: signals, bursts,
// validations, failures and their explanations.
func TestWhatHappensOnACopyStaysThere(t *testing.T) {
	r := newReplay(5, 6_000, 300)
	w := newWorld(t, fleetNodes)
	w.do(core.Submit{Spec: fleet.Spec{
		Name: "dig", Namespace: "n", Target: fleet.Flex, Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 4, Max: 4, Reach: fleet.ReachIsland}},
	}})
	w.do(core.MeasureUsage{Of: []core.Measured{{Namespace: "n", Name: "dig", SM: 990, Tensor: 1, Network: 1}}})
	r.play(w)
	before := w.s.Hash()
	for name, copied := range map[string]*fleet.State{"fork": w.s.Fork(), "clone": w.s.Clone()} {
		c := &world{t: t, s: copied, at: w.at}
		c.do(core.ReportFinished{ID: 1, Failed: true})
		for _, batch := range newReplay(6, 3_000, 300).batches {
			for i := range batch {
				batch[i].At = min(c.at, batch[i].At.Add(24*time.Hour))
			}
			c.do(core.TakeSignals{Signals: batch})
			c.pass(c.at.Add(time.Minute))
		}
		c.do(core.RecordValidation{Node: c.node(0).Name, Passed: true})
		c.pass(c.at.Add(48 * time.Hour))
		if copied.Hash() == before {
			t.Errorf("nothing happened on the %s", name)
		}
		if w.s.Hash() != before {
			t.Fatalf("what happened on the %s changed the fleet", name)
		}
	}
}
