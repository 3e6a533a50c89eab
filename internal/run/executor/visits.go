package executor

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// visit is a visit that is under way, copied from the state.
type visit struct {
	fleet.Visit
	cluster string
	parts   []fleet.NodeUpdate
}

// byPeople says whether people carry an update out.
func byPeople(u *fleet.NodeUpdate) bool { return u.Executor == "" || u.Executor == fleet.ByPeople }

// visitsOf lists the visits of which executors do a part.
func visitsOf(s *fleet.State) (list []visit) {
	for _, ref := range s.Kept().Open {
		p := s.Partition(ref.Partition)
		n := p.Nodes[ref.Node]
		v := visit{Visit: *n.Visit, cluster: p.Cluster}
		mine := false
		for _, name := range v.Updates {
			if u := s.Kept().Update(name); u != nil {
				v.parts = append(v.parts, *u)
				mine = mine || !byPeople(u)
			}
		}
		if mine {
			list = append(list, v)
		}
	}
	return list
}

// id tells the visit from all others: visits that begin with one record share its number.
func (v *visit) id() string { return fmt.Sprintf("%d-%s", v.Key, v.Node) }

// people says whether people carry out a part of the visit: they say when all of it is over.
func (v *visit) people() bool {
	for i := range v.parts {
		if byPeople(&v.parts[i]) {
			return true
		}
	}
	return false
}

// orders lists what executors do in the visit, in its order.
func (v *visit) orders() (list []Order) {
	var before time.Duration
	for i, u := range v.parts {
		if !byPeople(&u) {
			list = append(list, Order{
				ID: fmt.Sprintf("%s-%d", v.id(), i), Cluster: v.cluster, Node: v.Node, Update: u, Begins: v.Since.Add(before), Takes: !v.Quiet() && !v.Out,
			})
		}
		before += u.Lasts
	}
	return list
}

// due is when the visit needs something by itself, whatever executors say.
func (v *visit) due() fleet.Instant {
	switch {
	case v.State == fleet.VisitWorking:
		return v.Since
	case v.State == fleet.VisitChecking && !v.people():
		return v.Since.Add(v.Checks)
	}
	return fleet.Never
}

// runs is what the node was seen to run, where it was looked at: what an update brings,
// except for what was seen to be something else. nil: it was not looked at.
func (v *visit) runs(seen []fleet.Component) fleet.Runs {
	if len(seen) == 0 {
		return nil
	}
	return fleet.Runs(nil).With(v.Brings...).With(seen...)
}
