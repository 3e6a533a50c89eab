package demo_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/prove/demo"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestANewDemoHasAPast: promises have had their time, work failed, nodes came back, grants
// moved, incidents were closed; and the present begins with the fleet of the file.
func TestANewDemoHasAPast(t *testing.T) {
	j := memory.New()
	noError(t, demo.Past(t.Context(), j, seed, begin))
	kinds, failed := map[string]int{}, 0
	noError(t, j.Read(t.Context(), 0, func(e journal.Entry) error {
		r, err := event.Decode(e.Data)
		for _, e := range r.Events {
			kinds[e.Kind()]++
			if f, ok := e.(event.WorkloadFinished); ok && f.Failed {
				failed++
			}
		}
		return err
	}))
	for _, kind := range []string{"node.changed", "node.validated", "replicas.lost", "grant.transferred", "incident.closed", "workload.cancelled"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s in six weeks; there were %v", kind, kinds)
		}
	}
	if failed == 0 {
		t.Error("no workload failed in six weeks")
	}
	w := &world{t: t, journal: j, now: begin, seen: map[string]int{}}
	w.open()
	w.read(func(s *fleet.State) {
		beginsWell(t, s)
		namesTheNode(t, s)
	})
	w.start()
	ended := w.seen["workload.finished"]
	w.pass(5 * time.Second)
	if n := w.seen["workload.finished"] - ended; n > 25 { // of about a hundred that run
		t.Errorf("%d workloads of the past ended at once", n)
	}
	w.pass(2 * time.Minute)
	w.sound()
}

// beginsWell demands that nothing of the past hangs over the present.
func beginsWell(t *testing.T, s *fleet.State) {
	t.Helper()
	for _, b := range invariant.Check(s) {
		t.Error(b)
	}
	file, err := demo.Fleet()
	noError(t, err)
	for _, q := range file.Quotas {
		for _, g := range q.Grants {
			if a := s.Partition(g.Partition).Account(q.Path); a.Grant != g.GPUs {
				t.Errorf("%s begins with %d GPUs of %s, and the file grants %d", q.Path, a.Grant, g.Partition, g.GPUs)
			}
		}
	}
	for _, i := range s.Incidents {
		if i.Closed == 0 {
			t.Errorf("%s is open", i.Name)
		}
	}
	for _, p := range s.Partitions {
		if _, long, _ := p.Realised(s.Time); len(long.Done) == 0 || long.Done[0].Kept == 0 {
			t.Errorf("%s: no promise of 28 days has had its time", p.ID)
		}
		if len(p.Health.Bursts) > 0 {
			t.Errorf("%s begins with a burst", p.ID)
		}
	}
}

// namesTheNode demands failed runs whose known cause is a node that they stood on, by what its GPU said.
func namesTheNode(t *testing.T, s *fleet.State) {
	t.Helper()
	found := 0
	for _, w := range s.Workloads {
		if w.Failure == nil || w.Failure.Cause != fleet.CauseInfra {
			continue
		}
		if e := w.Failure.Evidence[0]; slices.Contains(w.Failure.Nodes, e.Node) && strings.Contains(e.Says, "XIDErrors") {
			found++
		}
	}
	if found < 3 {
		t.Errorf("of the failed runs that are kept %d name the node that broke them, want some", found)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
