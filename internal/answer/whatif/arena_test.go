package whatif_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// allocated is what fn allocates, in bytes, whatever of it is freed.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A search tries many changes, each on a copy of the state. Their memory is that of a few
// copies, or one question about a long queue would take that of the whole server.
func TestASearchCostsTheMemoryOfFewCopies(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 32, "t/y": 16, "u": 16})
	const waiting = 3000
	for i := range waiting {
		st.nodes(fmt.Sprintf("w%d", i), "t/x", 1, 0)
	}
	last := fmt.Sprintf("w%d", waiting-1)
	why := st.why(last)
	copied := allocated(func() { st.s.Fork() })
	searched := allocated(func() { whatif.Changes(st.s, st.s.Workload("oak", last), why, st.now, whatif.Budget{}) })
	t.Logf("a copy of the state takes %d kB, the search %d kB", copied>>10, searched>>10)
	if copies := searched / copied; copies > 6 {
		t.Errorf("a search takes the memory of %d copies of the state", copies)
	}
}

// A part of the fleet that is tried on once needs no copy beside the one of the try.
func TestAPartThatIsTriedOnOnceIsNotKept(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 32, "t/y": 16, "u": 16})
	for i := range 12 {
		st.nodes(fmt.Sprintf("w%d", i), []string{"t/x", "t/y", "u"}[i%3], 2, 0)
	}
	tried, kept := whatif.PartsKept(st.s, st.s.Workload("oak", "w9"), st.why("w9"), st.now)
	if tried < 3 || kept > 2 {
		t.Errorf("of %d parts that were tried on %d were kept", tried, kept)
	}
}

// Each place at which work would wait is told with the state in which it waits there.
func TestEachPlaceKeepsTheStateInWhichItWasTried(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 16, "t/y": 16, "u": 16})
	spec := fleet.Spec{
		Name: "large", Namespace: "oak", User: "ada", Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 9, Max: 9, Reach: fleet.ReachAny}},
	}
	places := whatif.Fit(st.s, core.System, nil, spec, st.now, whatif.Budget{}).Places
	if len(places) < 3 {
		t.Fatalf("%d places", len(places))
	}
	for _, p := range places {
		if w := p.Tried.Workloads[p.ID]; w == nil || w.Target != p.Target {
			t.Errorf("at %s it was tried as %+v", p.Target, w)
		}
	}
}
