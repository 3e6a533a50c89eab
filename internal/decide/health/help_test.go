package health_test

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// start is when every test's fleet begins.
var start = fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// judge is what tests and properties have in common.
type judge interface {
	Helper()
	Fatal(args ...any)
}

// world is a fleet that is told commands.
type world struct {
	t       judge
	s       *fleet.State
	at      fleet.Instant
	records []event.Record
	given   bool // a person gave automation nodes beyond its budget
}

func newWorld(t judge, nodes int) *world {
	w := &world{t: t, s: fleet.NewState(), at: start}
	w.do(core.AddCluster{Name: "tiger"})
	w.do(core.AddPartition{Cluster: "tiger", GPU: "h200"})
	w.do(core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: nodes}}})
	return w
}

func (w *world) do(c core.Command) event.Record {
	w.t.Helper()
	out, refusal := core.Step(w.s, core.Request{Command: c, Actor: core.Actor{Name: "operator:ada", User: "ada", Operator: true}, Reason: "test"}, w.at)
	if refusal != nil {
		w.t.Fatal(refusal)
	}
	if len(out.Record.Events) > 0 {
		w.records = append(w.records, out.Record)
	}
	return out.Record
}

// pass lets time pass, and rings every alarm on the way.
func (w *world) pass(until fleet.Instant) {
	for w.s.NextAlarm() <= until {
		w.at = max(w.at, w.s.NextAlarm())
		w.do(core.Tick{})
	}
	w.at = until
}

func (w *world) partition() *fleet.Partition { return w.s.Partition("tiger/h200") }

func (w *world) node(k int) *fleet.Node { return w.partition().Nodes[k] }

func name(k int) string { return fmt.Sprintf("tiger-h200-i1-%03d", k+1) }
