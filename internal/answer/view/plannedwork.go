package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// PlannedWork is a rollout or an announced maintenance on nodes with which it stands alike (maintenance §8).
type PlannedWork struct {
	Of        string
	Rollout   bool
	Provider  bool
	State     fleet.VisitState
	Impact    fleet.Impact
	Updates   []string
	Nodes     []string // by name
	Begins    fleet.Instant
	Ends      fleet.Instant
	Workloads []string // on these nodes, by name
	Deadline  fleet.Instant
	Becomes   string
	Help      string
}

// PlannedFor is whom planned work is asked for; empty: the whole fleet. At most one of the place, the node, the quota and
// the workload is set.
type PlannedFor struct {
	Scope, Node, Quota string
	Workload           *fleet.Workload
	Sees               Sees // which work is named
}

// covers says whether a node concerns those who ask.
func (f PlannedFor) covers(p *fleet.Partition, n *fleet.Node) bool {
	switch {
	case f.Node != "":
		return n.Name == f.Node
	case f.Workload != nil, f.Quota != "":
		return slices.ContainsFunc(n.Residents(), func(r fleet.Resident) bool { return f.has(r.Workload) })
	case f.Scope != "":
		return fleet.InScope(f.Scope, p, n.Island)
	}
	return true
}

// has says whether work is theirs who ask.
func (f PlannedFor) has(w *fleet.Workload) bool {
	switch {
	case f.Workload != nil:
		return w.ID == f.Workload.ID
	case f.Quota != "":
		return !w.Flexes() && (w.Target == f.Quota || strings.HasPrefix(w.Target, f.Quota+"/"))
	}
	return true
}

// PlannedWorks lists the planned work that concerns a place, a node, a quota or a workload: what is under way first,
// then by its begin.
func PlannedWorks(s *fleet.State, f PlannedFor, now fleet.Instant) (works []PlannedWork) {
	var first []maintenance.Plan
	for _, x := range maintenance.PlansOf(s, now, f.covers) {
		at := slices.IndexFunc(first, func(o maintenance.Plan) bool { return alike(o, x) })
		if at < 0 {
			at = len(works)
			first, works = append(first, x), append(works, plannedWork(x))
		}
		works[at].add(f, x.Node)
	}
	for i := range works {
		slices.Sort(works[i].Nodes)
		slices.Sort(works[i].Workloads)
		works[i].Workloads = slices.Compact(works[i].Workloads)
		works[i].says(f, agreed(s, f), now)
	}
	slices.SortStableFunc(works, func(a, b PlannedWork) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)), cmp.Compare(a.Begins, b.Begins), strings.Compare(a.Of, b.Of))
	})
	return works
}

// turn is what comes first: what is under way, what has a moment, the rest.
func turn(w PlannedWork) int {
	switch {
	case w.State != fleet.VisitPlanned && w.State != fleet.VisitAnnounced:
		return 0
	case w.Begins != 0:
		return 1
	}
	return 2
}

func alike(a, b maintenance.Plan) bool {
	return a.Rollout == b.Rollout && a.Notice == b.Notice && a.State == b.State && a.Impact == b.Impact && a.Begins == b.Begins && a.Deadline == b.Deadline && slices.Equal(a.Updates, b.Updates)
}

func plannedWork(x maintenance.Plan) PlannedWork {
	w := PlannedWork{State: x.State, Impact: x.Impact, Updates: x.Updates, Begins: x.Begins, Ends: x.Ends, Deadline: x.Deadline}
	switch {
	case x.Rollout != nil:
		w.Of, w.Rollout = x.Rollout.Name, true
	case x.Notice != nil:
		w.Of, w.Provider = x.Notice.Name, x.Notice.Provider
	}
	return w
}

func (w *PlannedWork) add(f PlannedFor, n *fleet.Node) {
	w.Nodes = append(w.Nodes, n.Name)
	for _, r := range n.Residents() {
		if r.Phase != fleet.Leaving && f.has(r.Workload) && f.Sees.May(r.Workload) {
			w.Workloads = append(w.Workloads, r.Workload.Namespace+"/"+r.Workload.Name)
		}
	}
}

// agreed is the moment at which the workload in question may be stopped, as its owner agreed; 0: there is none.
func agreed(s *fleet.State, f PlannedFor) fleet.Instant {
	for _, a := range s.Kept().Agreed {
		if f.Workload != nil && a.ID == f.Workload.ID {
			return a.At
		}
	}
	return 0
}

// says puts into words what becomes of the work, and what its owner can do.
func (w *PlannedWork) says(f PlannedFor, agreed, now fleet.Instant) {
	switch {
	case !w.Impact.Disturbs():
		w.Becomes = "Work runs on: the updates claim to do it no harm. What it loses meanwhile counts against them."
	case w.State == fleet.VisitDraining:
		w.Becomes = "What stands there leaves with its grace, and nothing starts there until the visit is over."
	case turn(*w) == 0:
		w.Becomes = "Nothing runs there until the visit is over."
	case f.Workload != nil && f.Workload.Flexes():
		w.Becomes = "It is flex work: it leaves these nodes with its grace when the visit begins, and goes back to its queue where nothing else is free."
	case w.Provider:
		w.Becomes = "The provider takes the nodes at that moment, whatever runs there. Within a day of it they back no quota. A gang that is still there is mended elsewhere, or goes back to its queue with its age."
	case agreed != 0 && agreed <= now:
		w.Becomes = "Its owner agreed to a stop from " + text.Weekday(agreed.Time()) + " on. It stops once, as a whole and with its grace, as soon as a visit of its nodes may begin, and starts again when they were made."
	case agreed != 0:
		w.Becomes = "It stops once, as a whole and with its grace, at " + text.Weekday(agreed.Time()) + " as was agreed, if visits of its nodes are due then. It starts again when they were made."
	case w.State == fleet.VisitAnnounced && w.Rollout:
		w.Becomes = "Gangs stop once, as a whole and with their grace, and start again when the visits of their nodes were made. Elastic pools give replicas above their minimum."
	case w.Deadline != 0:
		w.Becomes = "Work inside its quota is left alone until it ends, or until the deadline, " + text.Weekday(w.Deadline.Time()) + ", leaves no later moment for its stop. Flex work leaves with its grace."
	default:
		w.Becomes = "Work inside its quota is left alone until it ends. Flex work leaves with its grace."
	}
	if turn(*w) > 0 && !w.Provider && w.Impact.Disturbs() && f.Workload != nil && !f.Workload.Flexes() {
		w.Help = "muster maintenance agree " + f.Workload.Namespace + "/" + f.Workload.Name + " --at 2h"
	}
}
