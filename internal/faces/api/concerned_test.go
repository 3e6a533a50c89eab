package api

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Work that becomes unprotected and has to leave by one change is told of once, as work that has to leave.
func TestWorkIsToldOfOnceWithTheWorstThatBecomesOfIt(t *testing.T) {
	s := fleet.NewState()
	pools := []fleet.Pool{{Name: "w", GPUs: 8, Min: 2, Max: 2}}
	for id, name := range map[uint64]string{1: "both", 2: "cut"} {
		s.Workloads[id] = &fleet.Workload{ID: id, Spec: fleet.Spec{Name: name, Namespace: "oak", Target: "research/oak", Pools: pools}}
	}
	var notes []string
	for _, l := range lossesOf(s, []event.Event{
		event.ProtectionCut{ID: 1, GPUs: 16},
		event.ProtectionCut{ID: 2, GPUs: 16},
		event.ReplicasEvicted{ID: 1, Spots: []fleet.Spot{{Nodes: []int{0, 1}}}},
	}, would, nil) {
		notes = append(notes, l.note())
	}
	want := "1 workload of research/oak (16 GPUs) would have to leave: oak/both (16 GPUs).\n" +
		"1 workload of research/oak (16 GPUs) would run on unprotected, and may be evicted when work inside its quota's backing needs the room: oak/cut (16 GPUs)."
	if got := strings.Join(notes, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
