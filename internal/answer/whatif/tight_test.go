package whatif_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// heavy is what the pods of these stories ask of their nodes beside GPUs.
const heavy = "cpu 64"

// asking is work of one node whose pod asks for a footprint.
func asking(footprint, name string, gpus int, runsAtMost time.Duration) fleet.Spec {
	return fleet.Spec{
		Name: name, Namespace: "oak", Target: "u", Priority: fleet.Mid, MaxRuntime: runsAtMost,
		Pools: []fleet.Pool{{Name: "w", GPUs: gpus, Min: 1, Max: 1, Reach: fleet.ReachAny, Footprint: footprint}},
	}
}

// tight reports that all nodes take so many heavy pods.
func (st *story) tight(is fleet.Takings, by ...string) {
	st.Helper()
	r := core.ReportFit{Partition: "c/g", Footprint: heavy}
	for n := range 8 {
		r.Tight = append(r.Tight, event.TightNode{Node: fmt.Sprintf("c-g-i%d-%03d", n/4+1, n%4+1), Takings: is, Why: "insufficient cpu: it requests 64, 12 of 96 is free", By: by})
	}
	st.must(r)
}

func (st *story) when(name string) forecast.Answer {
	return forecast.When(st.s, st.s.Workload("oak", name), st.now, forecast.Options{})
}

// submits asks where work would run, and submits it: what fit says before, why says then.
func (st *story) submits(spec fleet.Spec, answer explain.Answer) explain.Blocker {
	st.Helper()
	places := whatif.Fit(st.s, core.System, nil, spec, st.now, whatif.Budget{}).Places
	st.must(core.Submit{Spec: spec})
	is := st.wants(spec.Name, answer, reason.DoesNotFit)[0]
	if len(places) != 1 || places[0].Starts || len(places[0].Blockers) != 1 || places[0].Blockers[0].Class != is.Class || places[0].Blockers[0].Text != is.Text {
		st.Errorf("fit says %+v, and why says %q", places, is.Text)
	}
	return is
}

// What no node could take even if it were empty is impossible, and no change of others helps.
func TestWhatNoNodeCouldTakeIsImpossible(t *testing.T) {
	st := tell(t, map[string]int{"u": 64})
	st.tight(fleet.Takings{})
	b := st.submits(asking(heavy, "giant", 8, 0), explain.Impossible)
	if b.Class != reason.Change || !strings.Contains(b.Text, "even if they were empty") || !strings.Contains(b.Text, "insufficient cpu") {
		t.Errorf("the reason: %+v", b)
	}
	if found := st.changes("giant"); len(found) > 0 {
		t.Errorf("what helps: %v, want nothing", found)
	}
	if st.when("giant").Known {
		t.Error("its start is known, and it has none")
	}
}

// What pods of others are in the way of starts once they have left. When is not known.
func TestWhatOthersAreInTheWayOfWaits(t *testing.T) {
	st := tell(t, map[string]int{"u": 64})
	st.tight(fleet.Takings{Empty: 1}, "stranger/cache")
	b := st.submits(asking(heavy, "train", 8, 0), explain.Waiting)
	if b.Class != reason.Wait || !strings.Contains(b.Text, "in the way: pods that are not Muster's (stranger/cache)") || !strings.Contains(b.Text, "12 of 96") {
		t.Errorf("the reason: %+v", b)
	}
	if found := st.changes("train"); len(found) > 0 {
		t.Errorf("what helps: %v, want nothing that Muster's people can do", found)
	}
	if st.when("train").Known {
		t.Error("its start is known, and when the others leave is not known")
	}
	r := core.ReportFit{Partition: "c/g", Footprint: heavy, Loose: []string{"c-g-i1-001"}}
	st.must(r)
	if w := st.s.Workload("oak", "train"); w.State != fleet.RunningW {
		t.Errorf("with room it is %s", w.State)
	}
}

// What Muster's own work is in the way of starts when that ends, if that is known.
func TestWhatOwnWorkIsInTheWayOfStartsWhenThatEnds(t *testing.T) {
	st := tell(t, map[string]int{"u": 64})
	for n := range 8 {
		st.must(core.Submit{Spec: asking("cpu 90", fmt.Sprintf("hog%d", n), 7, time.Duration(2+n)*time.Hour)}) // each node has one GPU left
	}
	st.tight(fleet.Takings{Takes: 1, Empty: 1, Full: true})
	b := st.submits(asking(heavy, "train", 1, 0), explain.Waiting)
	if !strings.Contains(b.Text, "in the way: oak/hog") || !slices.ContainsFunc(b.Culprits, func(c string) bool { return strings.HasPrefix(c, "oak/hog") }) {
		t.Errorf("the reason: %+v", b)
	}
	end := st.s.Workload("oak", "hog0").Started.Add(2 * time.Hour)
	if c, ok := st.changes("train")[whatif.Ends]; !ok || !slices.Equal(c.Names, []string{"oak/hog0"}) || c.By != end {
		t.Errorf("what helps: %+v, want that oak/hog0 ends", c)
	}
	if when := st.when("train"); !when.Known || when.Latest != end {
		t.Errorf("it starts %+v, want by %v at the latest", when, end)
	}
}
