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
		event.ReplicasEvicted{ID: 1, Whole: true, Spots: []fleet.Spot{{Nodes: []int{0, 1}}}},
	}, would, nil) {
		notes = append(notes, l.note())
	}
	want := "1 workload of research/oak (16 GPUs) would have to leave: oak/both (16 GPUs).\n" +
		"1 workload of research/oak (16 GPUs) would run on unprotected, and may be evicted when work inside its quota's backing needs the room: oak/cut (16 GPUs)."
	if got := strings.Join(notes, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Work that shrinks for a submission runs on, and is told apart from what has to leave; what leaves for other work is no
// matter of the submission.
func TestASubmissionSaysWhoMakesRoom(t *testing.T) {
	s := fleet.NewState()
	for id, name := range map[uint64]string{1: "shrinks", 2: "leaves", 3: "other"} {
		s.Workloads[id] = &fleet.Workload{ID: id, Spec: fleet.Spec{Name: name, Namespace: "oak", Target: "flex", Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 4, Elastic: true}}}}
	}
	all := []event.Event{
		event.WorkloadSubmitted{ID: 9},
		event.ReplicasEvicted{ID: 1, For: 9, Spots: []fleet.Spot{{Nodes: []int{0, 1}}}},
		event.ReplicasEvicted{ID: 2, For: 9, Whole: true, Spots: []fleet.Spot{{Nodes: []int{2}}}},
		event.ReplicasEvicted{ID: 3, For: 8, Whole: true, Spots: []fleet.Spot{{Nodes: []int{3}}}},
	}
	var for9 []event.Event
	for _, e := range all {
		if cutsOrMakesRoom(e, all) {
			for9 = append(for9, e)
		}
	}
	var notes []string
	for _, l := range lossesOf(s, for9, done, nil) {
		notes = append(notes, l.note())
	}
	want := "1 workload of flex (16 GPUs) gives these GPUs up and runs on with less: oak/shrinks (16 GPUs).\n" +
		"1 workload of flex (8 GPUs) has to leave: oak/leaves (8 GPUs)."
	if got := strings.Join(notes, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
