package whatif_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// of is a reader who may be told of the work of one namespace, and of no other.
func of(namespace string) explain.Reader {
	return func(_ *fleet.Partition, name string) bool { return strings.HasPrefix(name, namespace+"/") }
}

// others finds the names of the namespaces of random fleets, and of pods there, except for one.
func others(namespace, text string) []string {
	return slices.DeleteFunc(regexp.MustCompile(`\b(oak|elm|ash|foreign)\b`).FindAllString(text, -1), func(n string) bool { return n == namespace })
}

// On random fleets, of which some nodes are tight, a reader who may read one namespace's work is told what keeps it
// from starting. Codes and figures are the same. Work of others is counted, and not named.
func TestAReaderIsToldNoNameOfOthers(t *testing.T) {
	hidden, codes := 0, map[string]bool{}
	for seed := int64(1); seed <= 60; seed++ {
		f := randomFleet(seed)
		for range 12 {
			f.something()
		}
		f.tighten()
		for range 10 {
			f.something()
		}
		for _, id := range slices.Sorted(maps.Keys(f.s.Workloads)) {
			w := f.s.Workloads[id]
			if w.State.Ended() {
				continue
			}
			all, told := explain.Why(f.s, w, f.now), of(w.Namespace).Why(f.s, w, f.now)
			for i, b := range told {
				hidden += b.Others
				codes[string(b.Code)] = codes[string(b.Code)] || b.Others > 0
				if a := all[i]; a.Code != b.Code || a.Class != b.Class || a.Next.At != b.Next.At || fmt.Sprint(a.Figures) != fmt.Sprint(b.Figures) {
					t.Errorf("seed %d, workload %d: %+v, and a reader is told %+v", seed, id, a, b)
				}
				if len(b.Culprits)+b.Others < len(all[i].Culprits) {
					t.Errorf("seed %d, workload %d: %v are behind it, and a reader is told of %v and %d others", seed, id, all[i].Culprits, b.Culprits, b.Others)
				}
				if found := others(w.Namespace, b.Text+" "+b.Next.What+" "+fmt.Sprint(b.Culprits)); len(found) > 0 {
					t.Errorf("seed %d, workload %d of %s: a reader is told of %v: %s (%v; next %s)", seed, id, w.Namespace, found, b.Text, b.Culprits, b.Next.What)
				}
			}
		}
	}
	if hidden < 100 || !codes["Behind"] || !codes["FlexFull"] || !codes["DoesNotFit"] || !codes["Evicting"] {
		t.Errorf("%d are hidden, by %v: these fleets show too little", hidden, codes)
	}
}

// tighten makes all nodes tight for some of the work to come, by pods that are not Muster's.
func (f *fleetAt) tighten() {
	for _, id := range f.partitions {
		r := core.ReportFit{Partition: id, Footprint: heavy}
		for _, n := range f.s.Partition(id).Nodes {
			r.Tight = append(r.Tight, event.TightNode{Node: n.Name, Takings: fleet.Takings{Takes: 1, Empty: 2, Full: true}, Why: "4 cores are free", By: []string{"foreign/cache"}})
		}
		f.do(r)
	}
	for range 6 {
		spec := f.spec()
		spec.Pools = []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny, Footprint: heavy}}
		spec.Target = fleet.Flex
		f.do(core.Submit{Spec: spec})
	}
}

// What fit says of places is told in the same way.
func TestFitTellsAReaderNoNameOfOthers(t *testing.T) {
	waits := 0
	for seed := int64(1); seed <= 10; seed++ {
		f := randomFleet(seed)
		for range 40 {
			f.something()
		}
		spec := f.spec()
		spec.Target, spec.Name = "", "fit"
		for _, p := range whatif.Fit(f.s, core.System, of(spec.Namespace), spec, f.now, whatif.Budget{}).Places {
			for _, b := range p.Blockers {
				waits++
				if found := others(spec.Namespace, b.Text+" "+b.Next.What+" "+fmt.Sprint(b.Culprits)); len(found) > 0 {
					t.Errorf("seed %d: fit tells %s of %v: %s", seed, spec.Namespace, found, b.Text)
				}
			}
		}
	}
	if waits < 10 {
		t.Errorf("%d reasons: too few", waits)
	}
}
