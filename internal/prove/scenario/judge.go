package scenario

import (
	"strings"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// judge compares what is with what must be.
func (t *telling) judge(e Expectation) {
	if len(e.Figures) == 0 {
		return
	}
	t.world.engine.Read(func(s *fleet.State) {
		actual := t.actual(s, e)
		for _, f := range e.Figures {
			t.report.Expectations++
			if is := actual(f.Name); !f.Want.met(is) {
				t.fail(f.Line, e.Subject+" "+e.Name+": "+f.Name, f.Want.String(), show(is))
			}
		}
	})
}

// actual finds the figures of what an expectation is about.
func (t *telling) actual(s *fleet.State, e Expectation) func(figure string) any {
	switch e.Subject {
	case "workload":
		return t.workload(s, e.Name)
	case "node":
		return t.node(s, e.Name)
	case "cluster":
		return clusterOf(s, e.Name, t.world.now)
	}
	id := e.Partition
	if e.Subject == "partition" {
		id = e.Name
	}
	p := s.Partition(id)
	if e.Subject == "haircut" && p != nil {
		return haircutOf(s, e.Name, p, t.world.now)
	}
	if row, ok := t.maintained(s, e); ok {
		return row
	}
	if p == nil { // of a cluster that is not in production yet
		return func(string) any { return "no such partition" }
	}
	var row any
	switch e.Subject {
	case "quota":
		row = view.QuotaAt(p, e.Name, t.world.now)
	case "namespace":
		row = view.NamespaceIn(p, e.Name)
	default:
		return healthFigures(view.HealthOf(s, p, t.world.now), view.PartitionAt(p, t.world.now))
	}
	return func(figure string) any { return field(row, figure) }
}

// workload finds the last workload of a name; one of which no submission was
// accepted has a state and nothing else.
func (t *telling) workload(s *fleet.State, name string) func(figure string) any {
	w := named(s, name)
	return func(figure string) any {
		switch {
		case figure == "state" && w == nil:
			return refused
		case w == nil:
			return "no such workload"
		case figure == "reason":
			return firstReason(explain.Why(s, w, t.world.now))
		case figure == "startsIn":
			return startsIn(forecast.When(s, w, t.world.now, forecast.Options{}), t.world.now)
		case figure == "cause":
			return cause(w)
		case figure == "hung":
			return yes(view.Hung(s, w, t.world.now))
		case figure == "says":
			return texts(s, explain.Why(s, w, t.world.now))
		}
		return field(view.WorkloadOf(s, w, t.world.now), figure)
	}
}

func named(s *fleet.State, name string) *fleet.Workload {
	var last *fleet.Workload
	for _, w := range s.Workloads {
		if w.Name == name && (last == nil || w.ID > last.ID) {
			last = w
		}
	}
	return last
}

func firstReason(list []explain.Blocker) string {
	if len(list) == 0 {
		return ""
	}
	return string(list[0].Code)
}

// texts is all that the explanation says: of each blocker its sentence, who is behind it,
// what changes next, and the open incidents where it is.
func texts(s *fleet.State, list []explain.Blocker) string {
	var lines []string
	for _, b := range list {
		lines = append(lines, b.Text, strings.Join(b.Culprits, ", "), b.Next.What)
		if p := s.Partition(b.Partition); p != nil {
			lines = append(lines, strings.Join(s.OpenIncidents(p), ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// startsIn is how long a workload will wait at the median, or that it is not known.
func startsIn(a forecast.Answer, now fleet.Instant) any {
	if !a.Known {
		return notKnown
	}
	return a.P50.Sub(now)
}

// node finds a node; its workloads are named as in the story.
func (t *telling) node(s *fleet.State, name string) func(figure string) any {
	row, ok := view.NodeNamed(s, name)
	for i, w := range row.Workloads {
		_, row.Workloads[i], _ = strings.Cut(w, "/")
	}
	return func(figure string) any {
		if !ok {
			return "no such node"
		}
		if is, ok := nodeHealth(s, name, t.world.now, figure); ok {
			return is
		}
		return plain(field(row, figure))
	}
}
