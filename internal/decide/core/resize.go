package core

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Resize gives a pool of a workload another size. An elastic pool may be resized at
// any time: where it stands with more than Max, replicas leave within their grace,
// those on the nodes in From first, then what is only reserved, then the youngest. A
// gang keeps its size once it stands, but that its cluster may say that part of it has
// finished, and fewer replicas are left of which it is whole. Max of 0 says so of
// all of it: the pool is taken out of a workload that has others and stands nowhere.
// Of work that was seen on a cluster, what makes its pods says how many there are, and only
// the cluster repeats it.
type Resize struct {
	Namespace, Name string
	Pool            string // "": its only one
	Min             int    // 0: a gang's is Max, an elastic pool's stays, but is never above Max
	Max             int
	From            []string // one node for each replica that is gone, or should go first
}

func (Resize) command() {}

func resize(s *fleet.State, r Request, c Resize, now fleet.Instant) ([]event.Event, *Refusal) {
	w, refusal := findOwn(s, r.Actor, c.Namespace, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	if w.Home() != "" && r.Actor.Name != Reporter.Name {
		return nil, madeElsewhere(w, c.Max)
	}
	pool, refusal := poolNamed(w, c.Pool)
	if refusal != nil {
		return nil, refusal
	}
	is := w.Pools[pool]
	if c.Min == 0 {
		c.Min = leastOf(is, c.Max)
	}
	if is.Min == c.Min && is.Max == c.Max {
		return nil, nil
	}
	if !is.Elastic && w.At() != nil && (r.Actor.Name != Reporter.Name || c.Max > is.Max) {
		return nil, refuse(WrongState, "pool %q of workload %s/%s is a gang of %d, and %s: a gang keeps its size once it stands; cancel it and submit it anew",
			is.Name, w.Namespace, w.Name, is.Min, w.State)
	}
	if c.Min == 0 && c.Max == 0 {
		return finishPool(r, w, pool)
	}
	is.Min, is.Max = c.Min, c.Max
	if refusal := checkPool(is); refusal != nil {
		return nil, refusal
	}
	e := event.WorkloadResized{ID: w.ID, Pool: pool, Min: c.Min, Max: c.Max, Until: now.Add(min(w.Grace, s.Policy.MaxGrace))}
	running, reserved := surplusOf(w, pool, c)
	if len(running) > 0 {
		e.Leave = []fleet.Spot{{Pool: pool, Nodes: running}}
	}
	if len(reserved) > 0 {
		e.Unreserve = []fleet.Spot{{Pool: pool, Nodes: reserved}}
	}
	return one(e)
}

// finishPool takes a pool out that has finished entirely, as the workload's cluster says.
func finishPool(r Request, w *fleet.Workload, pool int) ([]event.Event, *Refusal) {
	name := w.Pools[pool].Name
	switch {
	case r.Actor.Name != Reporter.Name:
		return nil, refuse(Invalid, "pool %q of workload %s/%s cannot have 0 replicas; cancel the workload to end it", name, w.Namespace, w.Name)
	case len(w.Pools) == 1:
		return nil, refuse(WrongState, "pool %q is all of workload %s/%s; it is the workload that has finished", name, w.Namespace, w.Name)
	case w.At() != nil:
		return nil, refuse(WrongState, "workload %s/%s is %s; a pool of it that has finished is taken out while nothing of it stands", w.Namespace, w.Name, w.State)
	}
	return one(event.WorkloadResized{ID: w.ID, Pool: pool})
}

// madeElsewhere refuses to resize what something on a cluster makes the pods of: it
// would make as many again, and says how many there are.
func madeElsewhere(w *fleet.Workload, size int) *Refusal {
	refusal := refuse(DecidedElsewhere, "how many replicas workload %s/%s has is said where its pods are made: %s", w.Namespace, w.Name, w.MakerText())
	if line := ScaleLine(&w.Spec, strconv.Itoa(size)); line != "" {
		refusal.Message += "; " + line + " does it"
	}
	return refusal
}

// poolNamed finds a pool of a workload: the one of that name, or its only one.
func poolNamed(w *fleet.Workload, name string) (int, *Refusal) {
	if name == "" && len(w.Pools) == 1 {
		return 0, nil
	}
	names := make([]string, len(w.Pools))
	for i, p := range w.Pools {
		if names[i] = p.Name; p.Name == name {
			return i, nil
		}
	}
	if name == "" {
		return 0, refuse(Ambiguous, "workload %s/%s has %s; say which of them: %s", w.Namespace, w.Name, text.Count(len(names), "pool"), strings.Join(names, ", "))
	}
	return 0, refuse(NoSuchPool, "workload %s/%s has no pool %q, but %s", w.Namespace, w.Name, clip(name), strings.Join(names, ", "))
}

// leastOf is how many replicas a pool needs at least, where nothing is said but how many
// it has at most.
func leastOf(is fleet.Pool, most int) int {
	if is.Elastic {
		return min(is.Min, most)
	}
	return most
}

// surplusOf is the nodes that replicas of a pool leave, so that no more than the new
// most stay: those that run, and those that are only reserved.
func surplusOf(w *fleet.Workload, pool int, c Resize) (running, reserved []int) {
	most := w.Stays(pool) - c.Max
	if most <= 0 {
		return nil, nil
	}
	asked := map[int]int{}
	for _, name := range c.From {
		if at, ok := w.At().Node(name); ok {
			asked[at]++
		}
	}
	type seat struct{ class, at int }
	var seats []seat
	for at, r := range w.Replicas[pool] {
		switch {
		case r.Phase == fleet.Leaving:
		case asked[r.Node] > 0:
			asked[r.Node]--
			seats = append(seats, seat{0, at})
		case r.Phase == fleet.Reserved:
			seats = append(seats, seat{1, at})
		default:
			seats = append(seats, seat{2, at})
		}
	}
	slices.SortFunc(seats, func(a, b seat) int { return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.at, a.at)) })
	for _, x := range seats[:most] {
		if r := w.Replicas[pool][x.at]; r.Phase == fleet.Reserved {
			reserved = append(reserved, r.Node)
		} else {
			running = append(running, r.Node)
		}
	}
	return running, reserved
}

func applyResized(s *fleet.State, w *fleet.Workload, e event.WorkloadResized, at fleet.Instant) {
	if e.Max == 0 {
		s.FinishPool(w, e.Pool)
		return
	}
	s.Resize(w, e.Pool, e.Min, e.Max)
	if len(e.Unreserve) > 0 {
		s.Unreserve(w, e.Unreserve)
	}
	if len(e.Leave) > 0 {
		w.GraceEnds = e.Until
		s.Leave(w, e.Leave)
		s.Order(w, 0, at, e.Until)
	}
	s.Settle(w, at)
}
