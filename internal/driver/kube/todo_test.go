package kube

import (
	"testing"

	"github.com/muster-fleet/muster/internal/driver"
	"github.com/muster-fleet/muster/internal/driver/kube/translate"
	"github.com/muster-fleet/muster/internal/fleet"
)

// A node carried eight. Two have left by order 7, which nobody has reported yet, when
// order 9 comes for two more: two are evicted, not four, and order 7 is reported.
func TestASecondOrderEvictsNobodyForTheFirst(t *testing.T) {
	pods := make([]translate.Pod, 6)
	for i := range pods {
		pods[i] = translate.Pod{Name: string(rune('a' + i)), Node: "n0", Pinned: "n0"}
	}
	w := wanted{
		Job:     driver.Job{ID: 1, Name: "graders", Pools: []fleet.Pool{{Name: "main", GPUs: 1, Min: 1, Max: 8, Elastic: true}}},
		running: driver.Tally{{Pool: 0, Node: 0}: 4},
		leaving: driver.Tally{{Pool: 0, Node: 0, Order: 7}: 2, {Pool: 0, Node: 0, Order: 9}: 2},
	}
	var todo todo
	todo.plan(w, []translate.Part{{Pool: fleet.Pool{Name: "main"}, Pods: pods}}, []string{"n0"})
	if len(todo.evict) != 2 || len(todo.stop) != 1 || todo.stop[0].Spots[0].Order != 7 || len(todo.start)+len(todo.remove) > 0 {
		t.Errorf("it is to evict %d and report %v, start %d and remove %d; want 2 evicted and order 7 reported", len(todo.evict), todo.stop, len(todo.start), len(todo.remove))
	}
}
