package scenario

import (
	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostGPUs keeps figures from overflowing; what is possible the core will say.
const mostGPUs = 1 << 30

// action reads a command step.
func (p *parser) action(kind string, v yamlfile.Value) Action {
	if a, ok := p.maintenanceAction(kind, v); ok {
		return a
	}
	if a, ok := p.healthAction(kind, v); ok {
		return a
	}
	if a, ok := p.buildoutAction(kind, v); ok {
		return a
	}
	if a, ok := p.fitAction(kind, v); ok {
		return a
	}
	switch kind {
	case "submit":
		return p.submit(v)
	case "cancel":
		return p.cancel(v)
	case "node":
		return p.node(v)
	case "policy":
		return p.policy(v)
	case "islands":
		return islands(v)
	case "incident":
		return incident(v)
	case "haircut":
		return haircutStep(v)
	case "idle":
		return p.idle(v)
	case "stale":
		return silence(v)
	case "fresh":
		return speech(v)
	}
	return quotaAction(kind, v)
}

func quotaAction(kind string, v yamlfile.Value) Action {
	switch kind {
	case "grant":
		return grant(v)
	case "transfer":
		return transfer(v)
	}
	return hold(v)
}

func gpus(v yamlfile.Value) int { return v.IntOr(0, 0, mostGPUs) }

func grant(v yamlfile.Value) Action {
	f := v.Fields("quota", "partition", "gpus", "gang", "until", "overcommit", "reason")
	overcommit := f.At("overcommit").Bool()
	c := core.SetGrant{
		Quota: f.Need("quota").Path(), Partition: f.Need("partition").Path(),
		GPUs: gpus(f.Need("gpus")), Gang: gpus(f.At("gang")), Overcommit: overcommit,
	}
	if f.Has("until") {
		c.Until, c.KeepGang = Start.Add(f.At("until").Duration()), !f.Has("gang")
	}
	told := Told{Command: c}
	if told.Reason = reasonOf(f); overcommit && !f.Has("reason") {
		told.Reason = "" // to overcommit, a story says why itself
	}
	return told
}

// reasonOf is the reason that a step gives. One that gives none is told for the sake
// of the story; reason "" gives none at all.
func reasonOf(f yamlfile.Fields) string {
	if f.Has("reason") {
		return f.At("reason").Text()
	}
	return "the story"
}

func transfer(v yamlfile.Value) Action {
	f := v.Fields("from", "to", "partition", "gpus", "reason")
	return Told{Command: core.Transfer{
		From: f.Need("from").Path(), To: f.Need("to").Path(), Partition: f.Need("partition").Path(), GPUs: gpus(f.Need("gpus")),
	}, Reason: reasonOf(f)}
}

func hold(v yamlfile.Value) Action {
	f := v.Fields("quota", "partition", "gpus", "until", "user", "namespace")
	c := core.PlaceHold{
		Quota: f.Need("quota").Path(), Partition: f.Need("partition").Path(),
		GPUs: gpus(f.Need("gpus")), Until: Start.Add(f.Need("until").Duration()),
	}
	if f.Has("user") {
		c.User = f.At("user").Name()
	}
	if f.Has("namespace") {
		c.Namespace = f.At("namespace").Name()
	}
	return Told{Command: c}
}

// policy changes settings of the fleet, or with a scope the buffer there.
func (p *parser) policy(v yamlfile.Value) Action {
	f := v.Fields(append([]string{"scope", "reason"}, fleetfile.PolicyKeys...)...)
	settings := fleetfile.ReadPolicy(v, f)
	if !f.Has("scope") {
		return SetPolicy{Policy: settings, Reason: reasonOf(f)}
	}
	for _, key := range fleetfile.PolicyKeys {
		if key != "buffer" && f.Has(key) {
			f.At(key).Fail("%s is set for the whole fleet; with a scope only buffer can change", key)
		}
	}
	command := core.SetBuffer{Scope: f.At("scope").Path()}
	if f.Need("buffer"); settings.Buffer != nil {
		command.Buffer = *settings.Buffer
	}
	return Told{Command: command, Reason: reasonOf(f)}
}

func islands(v yamlfile.Value) Action {
	f := v.Fields("partition", "add")
	command := core.AddIslands{Partition: f.Need("partition").Path()}
	for _, i := range fleetfile.ReadIslands(f.Need("add")) {
		added := core.NewIsland{Name: i.Name, Names: i.Names, Racks: i.Racks}
		if i.Names == nil {
			added.Nodes = i.Nodes
		}
		command.Islands = append(command.Islands, added)
	}
	return Told{Command: command}
}

func incident(v yamlfile.Value) Action {
	f := v.Fields("name", "scope", "severity", "nodes", "state")
	name := f.Need("name").Name()
	if f.Has("state") {
		f.At("state").Word("closed")
		return Told{Command: core.CloseIncident{Name: name}}
	}
	return Told{Command: core.OpenIncident{
		Name: name, Scope: f.At("scope").Text(), Severity: f.At("severity").Text(), Nodes: nodeNames(f.At("nodes")),
	}}
}

// idle says what a workload's GPUs are seen to do from now on.
func (p *parser) idle(v yamlfile.Value) Action {
	f := v.Fields("workload", "utilisation")
	name := f.Need("workload").Name()
	p.submitted(f.At("workload"), name)
	return Told{Command: core.MeasureUsage{Of: []core.Measured{{
		Namespace: p.namespaces[name], Name: name, SM: f.Need("utilisation").Share(), Tensor: fleet.Unmeasured, Network: fleet.Unmeasured,
	}}}}
}

func (p *parser) cancel(v yamlfile.Value) Action {
	name := v.Name()
	p.submitted(v, name)
	return Told{Command: core.Cancel{Namespace: p.namespaces[name], Name: name}}
}

// submitted refuses the name of a workload that no step above submits.
func (p *parser) submitted(v yamlfile.Value, name string) {
	if _, ok := p.namespaces[name]; !ok && name != "" {
		v.Fail("no step above submits a workload %q; submit it first", yamlfile.Clip(name))
	}
}
