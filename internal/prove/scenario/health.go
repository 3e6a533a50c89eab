package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Signal is signals about nodes: of each node one, or Times of them Every so often
// up to now.
type Signal struct {
	Nodes  SetNodes // which nodes; nothing else of it
	Signal fleet.Signal
	Ago    time.Duration // how long before the step it was seen; below 0: after it
	Times  int
	Every  time.Duration
}

// signal reads a signal: {node, check, agent, codes, gpu, fatal, well, ...}.
func (p *parser) signal(v yamlfile.Value) Action {
	f := v.Fields("node", "check", "agent", "component", "codes", "gpus", "fatal", "well", "storeOnly", "action",
		"message", "id", "ago", "ahead", "times", "every")
	s := Signal{Times: f.At("times").IntOr(1, 1, fleet.SightMemory), Every: time.Second}
	if node := f.Need("node"); node.IsMap() {
		p.choice(node, &s.Nodes)
	} else {
		s.Nodes.Names = nodeNames(node)
	}
	s.Signal = fleet.Signal{
		ID: f.At("id").Text(), Agent: "monitor", Check: f.Need("check").Text(), Component: f.At("component").Text(),
		Codes: f.At("codes").Texts(), Fatal: f.At("fatal").Bool(), Well: f.At("well").Bool(),
		StoreOnly: f.At("storeOnly").Bool(), Action: f.At("action").Text(), Message: f.At("message").Text(),
	}
	if f.Has("agent") {
		s.Signal.Agent = f.At("agent").Text()
	}
	for _, gpu := range f.At("gpus").Texts() {
		s.Signal.Entities = append(s.Signal.Entities, fleet.Entity{Type: fleet.EntityGPU, Value: gpu})
	}
	switch {
	case f.Has("ago"):
		s.Ago = f.At("ago").Duration()
	case f.Has("ahead"):
		s.Ago = -f.At("ahead").Duration()
	}
	if f.Has("every") {
		s.Every = f.At("every").Duration()
	}
	return s
}

func (a Signal) request(s *fleet.State) (core.Request, error) {
	names, err := a.Nodes.chosen(s)
	if err != nil {
		return core.Request{}, err
	}
	var all []fleet.Signal
	for _, name := range names {
		for n := range a.Times {
			x := a.Signal
			x.Node = name
			if x.ID != "" && len(names)*a.Times > 1 {
				x.ID = fmt.Sprintf("%s-%s-%d", x.ID, name, n)
			}
			all = append(all, x)
		}
	}
	return core.Request{Command: Seen{Signals: all, a: a}, Actor: operator}, nil
}

// Seen is signals whose moments are still to be counted from the moment of the step.
type Seen struct {
	core.Command
	Signals []fleet.Signal
	a       Signal
}

// at counts the moments from now.
func (c Seen) at(now fleet.Instant) core.Command {
	signals := slices.Clone(c.Signals)
	for i := range signals {
		back := time.Duration(c.a.Times-1-i%c.a.Times) * c.a.Every
		signals[i].At = now.Add(-c.a.Ago - back)
	}
	return core.TakeSignals{Signals: signals}
}

// chosen lists the nodes that a step means.
func (a SetNodes) chosen(s *fleet.State) ([]string, error) {
	names := a.Names
	switch {
	case a.Of != "":
		names = nodesOf(s.Workload(a.OfNamespace, a.Of))
	case a.Free != "":
		names = a.freeNodes(s.Partition(a.Free))
	}
	if a.Names != nil {
		return names, nil
	}
	if len(names) < a.Count {
		return nil, fmt.Errorf("%d nodes were meant, and there are only %d to choose from", a.Count, len(names))
	}
	return names[:a.Count], nil
}

// healthAction reads the other steps about health.
func (p *parser) healthAction(kind string, v yamlfile.Value) (Action, bool) {
	switch kind {
	case "signal":
		return p.signal(v), true
	case "health":
		return SetHealth{fleetfile.ReadHealth(v)}, true
	case "validate":
		f := v.Fields("node", "passed", "checks", "note")
		passed := !f.Has("passed") || f.At("passed").Bool()
		return Told{Command: core.RecordValidation{
			Node: f.Need("node").Name(), Passed: passed, Checks: f.At("checks").Texts(), Note: f.At("note").Text(),
		}}, true
	case "fail":
		name := v.Name()
		p.submitted(v, name)
		return Fail{p.namespaces[name], name}, true
	case "measure":
		return p.measure(v), true
	case "release":
		return Told{Command: core.ReleaseNodes{Names: nodeNames(v)}}, true
	case "reset":
		f := v.Fields("partition", "reason")
		return Told{Command: core.ResetBreaker{Partition: f.Need("partition").Partition()}, Reason: f.At("reason").Text()}, true
	case "burst":
		f := v.Fields("partition", "signature", "real", "reason")
		return Told{Command: core.JudgeBurst{
			Partition: f.Need("partition").Partition(), Signature: f.Need("signature").Text(), Real: f.At("real").Bool(),
		}, Reason: f.At("reason").Text()}, true
	}
	return nil, false
}

// healthSteps are the kinds of step that this file reads.
var healthSteps = []string{"signal", "health", "validate", "release", "reset", "burst", "fail", "measure"}

// SetHealth puts the settings that a step names over the health policy in force.
type SetHealth struct{ Health fleetfile.Health }

func (a SetHealth) request(s *fleet.State) (core.Request, error) {
	return Told{Command: core.SetHealthPolicy{Policy: a.Health.Over(*s.HealthPolicy())}}.request(s)
}

// Fail lets a workload fail by itself.
type Fail struct{ Namespace, Name string }

func (a Fail) request(s *fleet.State) (core.Request, error) {
	w := s.Workload(a.Namespace, a.Name)
	if w == nil || w.Started == 0 || w.State.Ended() {
		return core.Request{}, fmt.Errorf("workload %s does not run, so it cannot fail", a.Name)
	}
	return core.Request{Command: core.ReportFinished{ID: w.ID, Failed: true}, Actor: core.Reporter}, nil
}

// measure reads what a workload's GPUs are seen to do, as shares.
func (p *parser) measure(v yamlfile.Value) Action {
	f := v.Fields("workload", "sm", "tensor", "network")
	name := f.Need("workload").Name()
	p.submitted(f.At("workload"), name)
	m := core.Measured{
		Namespace: p.namespaces[name], Name: name, SM: f.Need("sm").Share(), Tensor: fleet.Unmeasured, Network: fleet.Unmeasured,
	}
	if f.Has("tensor") {
		m.Tensor = f.At("tensor").Share()
	}
	if f.Has("network") {
		m.Network = f.At("network").Share()
	}
	return Told{Command: core.MeasureUsage{Of: []core.Measured{m}}}
}
