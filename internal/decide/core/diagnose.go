package core

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostDiagnoses bounds how often a partition is diagnosed in one go: bursts and the
// breaker first, then what follows with them in force, then nothing.
const mostDiagnoses = 16

// heal lets the nodes' states follow from their signals, until nothing more
// changes, and explains the failures about which all signals are in.
func (t *turn) heal(p *fleet.Partition) {
	for i := 0; p.Undiagnosed(); i++ {
		if i > mostDiagnoses {
			panic(fmt.Sprintf("core: %s is diagnosed again and again", p.ID))
		}
		d := health.Diagnose(t.s, p, t.now)
		p.Diagnosed(d.Again)
		t.treat(p, d)
	}
	for _, w := range p.Unexplained(t.now) {
		cause, evidence := health.Cause(t.s, p, w.Failure)
		t.emit(event.FailureExplained{Workload: w.ID, Cause: cause, Evidence: evidence})
	}
}

func (t *turn) treat(p *fleet.Partition, d health.Diagnosis) {
	for _, b := range d.Bursts {
		t.emit(event.BurstAccused{Partition: p.ID, Burst: b})
	}
	for _, signature := range d.Over {
		t.emit(event.BurstOver{Partition: p.ID, Signature: signature})
	}
	if d.Trips > 0 {
		t.emit(event.BreakerTripped{Partition: p.ID, Nodes: d.Trips})
	}
	for _, c := range d.Changes {
		n := p.Nodes[c.Node]
		to, until := onProbation(t.s, n, c.To, t.now)
		for _, e := range lost(p, c.Node, to, c.Dead) {
			t.emit(e)
		}
		t.emit(event.NodeChanged{
			Partition: p.ID, Node: n.Name, From: n.State, To: to, Dead: c.Dead, Signal: c.Signal,
			Owner: fleet.ByAutomatic, Needs: c.Needs, Until: until,
		})
	}
}
