package api

import (
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// keptSo says who keeps a node in its state.
var keptSo = map[fleet.StateOwner]string{
	fleet.ByOperator: ", set by a person", fleet.ByAutomatic: ", set by Muster", fleet.ByCluster: ", as its cluster reports", fleet.ByMaintenance: ", for maintenance that is under way",
}

// soAlready says of nodes that were to be put into a state why nothing comes of it: they have that state already.
func (s *service) soAlready(m *musterv1.SetNodesRequest, events []event.Event) (notes []string) {
	changed, already := changedNodes(events), map[string][]string{}
	var order []string
	s.engine.Read(func(state *fleet.State) {
		for _, name := range m.GetNames() {
			n := nodeCalled(state, name)
			if n == nil || changed[n.Name] || string(n.State) != m.GetState() {
				continue
			}
			how := keptSo[n.StateOwner]
			if already[how] == nil {
				order = append(order, how)
			}
			already[how] = append(already[how], n.Name)
		}
	})
	for _, how := range order {
		list := already[how]
		notes = append(notes, fmt.Sprintf("%s %s %s already%s; muster describe node %s says since when and why.",
			text.Few(text.Folded(list), mostConcerned), text.Verb(len(list), "is", "are"), inState(m.GetState()), how, list[0]))
	}
	return notes
}

// inState is a state after "is".
func inState(state string) string {
	if state == string(fleet.Maintenance) || state == string(fleet.Probation) {
		return "in " + state
	}
	return state
}

// changedNodes are the nodes that events change.
func changedNodes(events []event.Event) map[string]bool {
	changed := map[string]bool{}
	for _, e := range events {
		switch e := e.(type) {
		case event.NodeChanged:
			changed[e.Node] = true
		case event.NodeOwned:
			changed[e.Node] = true
		}
	}
	return changed
}

// nodeCalled is the node of a name, which may be short; nil: there is none, or there are several.
func nodeCalled(s *fleet.State, name string) *fleet.Node {
	if full := s.NodesNamed(name); len(full) == 1 {
		name = full[0]
	}
	if p, i := s.FindNode(name); p != nil {
		return p.Nodes[i]
	}
	return nil
}

// noteInService says of nodes that an incident names and that are in service that they stay so.
func (s *service) noteInService(w *musterv1.Written, names []string) {
	var serve []string
	s.engine.Read(func(state *fleet.State) {
		for _, name := range names {
			if n := nodeCalled(state, name); n != nil && (n.State == fleet.Healthy || n.State == fleet.Probation) {
				serve = append(serve, n.Name)
			}
		}
	})
	if w == nil || len(serve) == 0 {
		return
	}
	they := text.Verb(len(serve), "is in service and stays so: an incident takes no node out; muster node drain takes it out", "are in service and stay so: an incident takes no node out; muster node drain takes them out")
	w.Notes = append(w.Notes, text.Few(text.Folded(serve), mostConcerned)+" "+they+".")
}
