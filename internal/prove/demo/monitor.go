package demo

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/health/adapt"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Request is what a report of the cluster asks of the engine. What befalls nodes
// comes as monitors would say it: as signals, from which the health policy draws
// its conclusions, and as validations. What repair does is the cluster's to say.
func (c *Cluster) Request(r driver.Report) core.Request {
	r = c.Truth(r)
	if r.Nodes == nil {
		return engine.RequestOf(r)
	}
	stage := c.stage(r)
	switch r.Nodes.State {
	case fleet.Quarantined, fleet.Suspect, fleet.Healthy:
		var list []fleet.Signal
		for _, name := range r.Nodes.Names {
			seen := symptom(c.seed, name, *r.Nodes, r.At)
			c.note(seen)
			list = append(list, seen)
		}
		return core.Request{Command: core.TakeSignals{Signals: list}, Actor: core.Reporter}
	case fleet.Probation:
		return core.Request{Command: core.RecordValidation{
			Node: r.Nodes.Names[0], Passed: true, Checks: []string{"dcgm-r3", "nccl-all-reduce"}, Note: stage.Nodes.Signal,
		}, Actor: core.Reporter}
	default:
		return engine.RequestOf(stage)
	}
}

// stage is a report of a node under repair, in the words of the signal for which it is repaired.
func (c *Cluster) stage(r driver.Report) driver.Report {
	nodes := *r.Nodes
	if cause, stage, two := strings.Cut(nodes.Signal, ": "); two && ofGPU(cause) {
		nodes.Signal = c.called(nodes.Names[0], cause) + ": " + stage
	}
	r.Nodes = &nodes
	return r
}

// symptom is how monitors see what befell a node.
func symptom(seed uint64, name string, is driver.Nodes, at fleet.Instant) fleet.Signal {
	s := fleet.Signal{
		ID: fmt.Sprintf("%s-%d", name, at), Agent: "node-problem-detector", Component: "node", Node: name, At: at,
		Fatal: is.State == fleet.Quarantined, Message: is.Signal,
	}
	rng := stream(seed, "symptom", s.ID)
	switch {
	case is.State != fleet.Quarantined:
		s.Agent, s.Check, s.Well = "kubelet", "NodeReady", is.State == fleet.Healthy
	case ofGPU(is.Signal):
		gpuSymptom(&s, rng, codesOf[is.Signal])
	default: // cables, fans, power supplies: a check of that name
		s.Check, s.Action = title(is.Signal), "REPLACE_VM"
	}
	return s
}

func gpuSymptom(s *fleet.Signal, rng *rand.Rand, codes []string) {
	s.Agent, s.Component, s.Check, s.Action = "dcgm", fleet.EntityGPU, "XIDErrors", "COMPONENT_RESET"
	s.Codes = []string{codes[rng.IntN(len(codes))]}
	if code, err := strconv.Atoi(s.Codes[0]); err == nil {
		x, _ := adapt.XIDOf(code)
		s.Action, s.Message = cmp.Or(x.Action, s.Action), fmt.Sprintf("XID %d: %s", code, x.Meaning)
	}
	s.Entities = []fleet.Entity{{Type: fleet.EntityGPU, Value: fmt.Sprint(rng.IntN(8))}}
}

// title is a cause as the name of a check: power supply becomes PowerSupply.
func title(cause string) string {
	var b strings.Builder
	for _, word := range strings.Fields(cause) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// The monitor that errs now and then speaks of so many nodes at once.
const madNodes = 6

// errs lets a monitor say of many nodes at once that their links are down, and
// take it back the next time; no work loses a node by it.
func errs(m *member, s *fleet.State) []core.Request {
	list := takenBack(s)
	if list == nil {
		p := s.Partitions[m.rng.IntN(len(s.Partitions))]
		for k := range min(madNodes, len(p.Nodes)) {
			list = append(list, fleet.Signal{Agent: erring, Check: "NVLinkStatusInactive", Node: p.Nodes[k].Name})
		}
	}
	m.n++
	return []core.Request{says(s, m.n, list)}
}

// says is what the erring monitor sends, the n-th time.
func says(s *fleet.State, n int, list []fleet.Signal) core.Request {
	for i := range list {
		list[i].ID, list[i].At = fmt.Sprintf("%s-%d-%d-%d", erring, s.Time, n, i), max(1, s.Time)
	}
	return core.Request{Command: core.TakeSignals{Signals: list}, Actor: operator}
}

// takenBack is what the erring monitor said and takes back; nil: nothing.
func takenBack(s *fleet.State) (list []fleet.Signal) {
	for _, p := range s.Partitions {
		for _, b := range p.Health.Bursts {
			if strings.HasPrefix(b.Signature, erring) {
				list = append(list, taken(p)...)
			}
		}
	}
	return list
}

const erring = "linkwatch"

// taken is what the erring monitor takes back in a partition.
func taken(p *fleet.Partition) (list []fleet.Signal) {
	for _, n := range p.Nodes {
		if n.Health == nil {
			continue
		}
		for _, c := range n.Health.Conditions {
			if c.Agent == erring && n.Health.Live(c) {
				list = append(list, fleet.Signal{Agent: erring, Check: c.Check, Node: n.Name, Well: true})
			}
		}
	}
	return list
}

// resets lets an operator close breakers that are open, after a look.
func resets(_ *member, s *fleet.State) []core.Request {
	for _, p := range s.Partitions {
		if p.Health.Tripped != 0 {
			return []core.Request{{Command: core.ResetBreaker{Partition: p.ID}, Actor: operator, Reason: "looked at: the faults are real"}}
		}
	}
	return nil
}
