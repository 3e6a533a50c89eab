package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// SetNodes puts nodes into a state: those in Names, or Count of those that a
// workload stands on (Of), or that hold nothing in a partition (Free).
type SetNodes struct {
	Names           []string
	Of, OfNamespace string
	Free            string
	Count           int
	State           fleet.NodeState
	Dead            int
	Signal          string
	Under           string // the incident that they are in this state for; "": none
}

func (p *parser) node(v yamlfile.Value) Action {
	f := v.Fields("name", "state", "dead", "signal", "under")
	a := SetNodes{Dead: f.At("dead").IntOr(0, 0, mostGPUs), Signal: f.At("signal").Text()}
	var words []string
	for _, s := range fleet.NodeStates() {
		words = append(words, string(s))
	}
	a.State = fleet.NodeState(f.Need("state").Word(words...))
	if f.Has("under") {
		a.Under = f.At("under").Name()
	}
	if name := f.Need("name"); name.IsMap() {
		p.choice(name, &a)
	} else {
		a.Names = nodeNames(name)
	}
	return a
}

// choice reads {of: WORKLOAD, count: N} or {free: PARTITION, count: N}.
func (p *parser) choice(v yamlfile.Value, a *SetNodes) {
	f := v.Fields("of", "free", "count")
	a.Count = f.At("count").IntOr(1, 1, core.MaxNodesPerCommand)
	switch key, value := f.One("of", "free"); key {
	case "of":
		a.Of = value.Name()
		p.submitted(value, a.Of)
		a.OfNamespace = p.namespaces[a.Of]
	case "free":
		a.Free = value.Partition()
		p.known.partition(value, a.Free)
	}
}

// nodeNames reads a node, a range of nodes, or a list of both.
func nodeNames(v yamlfile.Value) []string {
	if !v.IsList() {
		return nodeRange(v)
	}
	var all []string
	for _, entry := range v.List() {
		all = append(all, nodeRange(entry)...)
	}
	return all
}

func nodeRange(v yamlfile.Value) []string {
	name := v.Name()
	if name == "" {
		return nil
	}
	names, err := text.Unfolded(name, core.MaxNodesPerCommand)
	if err != nil {
		v.Fail("%s", err)
	}
	return names
}

func (a SetNodes) request(s *fleet.State) (core.Request, error) {
	names, err := a.chosen(s)
	if err != nil {
		return core.Request{}, err
	}
	set := core.SetNodes{Names: names, State: a.State, Dead: a.Dead, Signal: a.Signal}
	if a.Under == "" {
		return Told{Command: set}.request(s)
	}
	if set.Signal == "" {
		set.Signal = a.Under
	}
	change := core.UpdateIncident{Name: a.Under, Note: fmt.Sprintf("%s: %s", a.State, strings.Join(names, ", "))}
	change.Nodes = withNodes(s, a.Under, names)
	return Told{Command: core.Batch{Commands: []core.Command{change, set}}}.request(s)
}

// withNodes are the nodes of an incident with some more; nil: it names none, so that its
// scope says what it is about, or it is not open, which the core refuses.
func withNodes(s *fleet.State, incident string, names []string) *[]string {
	for _, i := range s.Incidents {
		if i.Name != incident || i.Closed != 0 || len(i.Nodes) == 0 {
			continue
		}
		all := slices.Concat(i.Nodes, names)
		slices.Sort(all)
		all = slices.Compact(all)
		return &all
	}
	return nil
}

// nodesOf lists the nodes that a workload stands on, in order of name.
func nodesOf(w *fleet.Workload) []string {
	if w == nil || w.At() == nil {
		return nil
	}
	var names []string
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			names = append(names, w.At().Nodes[r.Node].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// freeNodes lists the nodes that hold nothing and are not in the wanted state
// already, in order of name.
func (a SetNodes) freeNodes(p *fleet.Partition) []string {
	var names []string
	for _, n := range p.Nodes {
		if len(n.Residents()) == 0 && n.State != a.State {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return names
}
