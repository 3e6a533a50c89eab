package whatif

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Kind is what sort of change it is.
type Kind string

// The kinds of changes, in the order in which they are shown.
const (
	Target    Kind = "target"    // another quota, or flex
	Partition Kind = "partition" // the choice of partition left open
	Smaller   Kind = "smaller"   // fewer replicas of one pool
	Reach     Kind = "reach"     // its gangs may stand further apart
	RunTime   Kind = "run time"  // a declared maximum run time, so that it may pass
	Priority  Kind = "priority"  // a higher priority
	Reports   Kind = "reports"   // the cluster reports again
	Mode      Kind = "mode"      // the cluster is decided for
	Nodes     Kind = "nodes"     // nodes come back
	Grant     Kind = "grant"     // more GPUs granted to its quota
	Gang      Kind = "gang"      // the grant declares its gang
	Transfer  Kind = "transfer"  // GPUs of another quota
	Ends      Kind = "ends"      // other work ends, or is cancelled
	Holds     Kind = "holds"     // holds inside its quota end, or are released
)

// Change is something that, once done, lets the workload start. It was tried.
type Change struct {
	Kind     Kind
	Class    reason.Class   // who can do it: the submitter, a person who must be asked, or time
	Commands []core.Command // what was done to the copy, in order
	Start    Start          // and what came of it

	Quota     string        // its target then; the quota that gets or gives GPUs
	Partition string        // that the change is about
	Pool      string        // that changes
	Was, Now  int           // replicas of the pool; GPUs of the grant
	GPUs      int           // that are granted or transferred
	Names     []string      // nodes, or workloads as namespace/name
	By        fleet.Instant // when it comes by itself at the latest; 0: not known
	Declared  bool          // all that must end declared how long they run; some have not started
	Reach     fleet.Reach
	Priority  fleet.Priority
	RunTime   time.Duration
	Made      string // where it is told, of work that a cluster's own objects make: "Job train on cluster tiger"
}

// Found is what a search for changes brought.
type Found struct {
	Changes []Change
	// Missed: the search had to stop early, so whether anything else would help is not known.
	Missed bool
}

// search looks for changes that let one workload start.
type search struct {
	*tries
	w     *fleet.Workload
	why   []explain.Blocker
	gpus  int
	found []Change
}

// Changes finds what would let a pending workload start: for each kind of
// change the smallest that works. The state is not changed.
func Changes(s *fleet.State, w *fleet.Workload, why []explain.Blocker, now fleet.Instant, b Budget) Found {
	if w.State != fleet.Pending {
		return Found{}
	}
	return changes(newTries(s, now, b), w, why)
}

func changes(b *tries, w *fleet.Workload, why []explain.Blocker) Found {
	x := &search{tries: b, w: w, why: why, gpus: w.NeedsBase()}
	for _, look := range []func(){
		x.reports, x.targets, x.partition, x.reach, x.runTime, x.holds, x.grants, x.gang, x.transfers, x.ends, x.nodes, x.smaller,
		x.priority, // last of all: it only passes the waiting on
	} {
		look()
	}
	slices.SortStableFunc(x.found, func(a, b Change) int { return cmp.Compare(a.turn(), b.turn()) })
	return Found{Changes: x.found, Missed: x.missed}
}

// turn orders changes: what comes by itself, what the submitter can do, what
// others can; last what only makes other work wait.
func (c Change) turn() int {
	switch {
	case c.Kind == Ends && c.By != 0, c.Kind == Holds:
		return 0
	case c.Kind == Priority:
		return 4
	case c.Kind == Ends:
		return 3
	case c.Class == reason.Change:
		return 1
	}
	return 2
}

// has says whether one of the blockers has one of these codes.
func (x *search) has(codes ...reason.Code) bool {
	for _, b := range x.why {
		for _, c := range codes {
			if b.Code == c {
				return true
			}
		}
	}
	return false
}

// try does a change to a copy that holds what the change concerns; patience is
// how long the workload may still wait then.
func (x *search) try(c Change, patience time.Duration) (Change, bool) {
	if !x.open() {
		return c, false
	}
	list, trees := x.concerned(c.Commands)
	ok := x.on(list, trees, func(t *trial) bool {
		if !x.does(t, c) {
			return false
		}
		if t.reserves(x.w.Namespace, x.w.Name) {
			return true
		}
		_, ok := t.follow(x.w.Namespace, x.w.Name, patience)
		return ok
	})
	return c, ok
}

// oneByOne is up to how many commands of a change are tried one after the other, as people give them. More are tried as
// one: a fleet that reacts to each of 20,000 nodes that come back takes seconds. What works so is tried one by one before it counts.
const oneByOne = 64

// does carries a change out on a copy.
func (x *search) does(t *trial, c Change) bool {
	if len(c.Commands) > oneByOne {
		return t.together(c.Commands)
	}
	return t.do(c.Commands)
}

// tryKeep is try, and keeps what works.
func (x *search) tryKeep(c Change) bool {
	c, ok := x.try(c, 0)
	return x.keep(c, ok, 0)
}

// keep tries once more what worked, with everybody who waits anywhere, and keeps
// what works then too.
func (x *search) keep(c Change, ok bool, patience time.Duration) bool {
	if !ok || !x.open() {
		return false
	}
	list, _ := x.concerned(c.Commands)
	ok = x.on(list, nil, func(t *trial) (ok bool) {
		if ok = t.do(c.Commands); ok {
			c.Start, ok = t.follow(x.w.Namespace, x.w.Name, patience)
		}
		return ok
	})
	if ok && x.w.Home() != "" {
		c.Made = x.w.MakerText()
	}
	if ok {
		x.found = append(x.found, c)
	}
	return ok
}

// least finds the smallest n from 1 to most whose change works, given that most
// does: by bisection, so every answer was tried, and one less fails or is not known.
// More need not be better (other work may come first), so the
// smallest few are tried besides.
func (x *search) least(most int, change func(n int) Change, patience time.Duration) (best Change, ok bool) {
	if most < 1 {
		return best, false
	}
	if best, ok = x.try(change(most), patience); !ok {
		return best, false
	}
	least := most
	for low := 1; low < least; {
		mid := (low + least) / 2
		if c, works := x.try(change(mid), patience); works {
			best, least = c, mid
		} else {
			low = mid + 1
		}
	}
	return x.fewer(best, least, change, patience), true
}

// fewest is how many of the smallest changes are tried one by one.
const fewest = 3

// fewer is the first of the smallest few that works, or the best known.
func (x *search) fewer(best Change, n int, change func(n int) Change, patience time.Duration) Change {
	for i := 1; i < n && i <= fewest; i++ {
		if c, works := x.try(change(i), patience); works {
			return c
		}
	}
	return best
}

// partitions are those in which the workload waits, or would with another target.
func (x *search) partitions() []*fleet.Partition {
	if p := x.s.Partition(x.w.Partition); p != nil {
		return []*fleet.Partition{p}
	}
	return x.s.Partitions
}

// account is the one that its blockers are about, or nil.
func (x *search) account() *fleet.Account {
	for _, b := range x.why {
		if p := x.s.Partition(b.Partition); p != nil && p.Account(x.w.Target) != nil {
			return p.Account(x.w.Target)
		}
	}
	return nil
}

// at is the partition that its blockers are about, or nil.
func (x *search) at() *fleet.Partition {
	for _, b := range x.why {
		if p := x.s.Partition(b.Partition); p != nil {
			return p
		}
	}
	return nil
}
