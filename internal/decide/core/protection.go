package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// A cut is a change by people that may take the protection of running work
// (semantics §4): of grants, of a policy, of where work belongs, or a wave of a
// haircut.
type cut struct {
	changes []string // in words
	in      []*fleet.Partition
	all     bool // in every partition
	planned bool // a wave: its plan named the work, and its people were told
	before  map[string][]fleet.Touched
}

// cutOf finds what of some events may take protection; nil: nothing does.
func cutOf(s *fleet.State, events []event.Event) *cut {
	var c cut
	for _, e := range events {
		switch e := e.(type) {
		case event.GrantSet:
			if leavesRoom(s, e) {
				continue
			}
			c.change(s, e.Partition, fmt.Sprintf("the grant of %s in %s goes from %s to %s", e.Quota, e.Partition, text.Group(e.Was), text.Count(e.GPUs, "GPU")))
		case event.GrantTransferred:
			c.change(s, e.Partition, fmt.Sprintf("%s of %s in %s %s to %s", text.Count(e.GPUs, "GPU"), e.From, e.Partition, text.Verb(e.GPUs, "goes", "go"), e.To))
		case event.PolicySet:
			c.all, c.changes = true, append(c.changes, bufferChange("the fleet", s.Policy.Buffer, e.Policy.Buffer))
		case event.BufferSet:
			c.all, c.changes = true, append(c.changes, bufferChange(e.Scope, s.Buffers[e.Scope], e.Buffer))
		case event.BufferCleared:
			c.all, c.changes = true, append(c.changes, e.Scope+" has no buffer policy of its own any more")
		case event.WorkloadRetargeted:
			where := "" // what stands nowhere takes no protection by going elsewhere
			if w := s.Workloads[e.ID]; w != nil && w.At() != nil {
				where = w.At().ID
			}
			c.change(s, where, fmt.Sprintf("%s goes to %s", workName(s, e.ID), e.Target))
		case event.HaircutApplied:
			c.planned, c.changes = true, append(c.changes, "haircut "+e.Haircut)
		case event.HaircutUndone:
			c.changes = append(c.changes, "haircut "+e.Haircut+" is undone")
		}
	}
	if len(c.changes) == 0 {
		return nil
	}
	if c.all {
		c.in = s.Partitions
	}
	found := c // on the heap only where there is one: most requests cut nothing
	return &found
}

// bufferChange says that the buffer policy of a scope goes from one to another.
func bufferChange(scope string, was, is fleet.Buffer) string {
	switch was {
	case is:
		return "the policy of " + scope + " changes"
	case fleet.Buffer{}:
		return fmt.Sprintf("the buffer policy of %s becomes %s", scope, is)
	}
	return fmt.Sprintf("the buffer policy of %s goes from %s to %s", scope, was, is)
}

// leavesRoom says whether a grant only grows, and all that is assigned then can be
// backed: no quota loses by it.
func leavesRoom(s *fleet.State, e event.GrantSet) bool {
	p, gang := s.Partition(e.Partition), 0
	if p == nil {
		return true // it comes with the same command: nothing runs there
	}
	if a := p.Account(e.Quota); a != nil {
		gang = a.Gang
	}
	rise := e.GPUs - e.Was
	return rise >= 0 && e.Gang == gang && p.Assigned()+rise <= p.Promisable*p.GPUsPerNode
}

func workName(s *fleet.State, id uint64) string {
	w := s.Workloads[id]
	if w == nil {
		return "work of the same command"
	}
	return w.Namespace + "/" + w.Name
}

// runs says whether in-quota work runs where the cut is, so that it may lose something.
func (c *cut) runs() bool {
	for _, p := range c.in {
		for _, a := range p.Accounts {
			if a.Usage() > 0 {
				return true
			}
		}
	}
	return false
}

// join adds a later cut of the same step.
func (c *cut) join(s *fleet.State, later *cut) *cut {
	if c == nil {
		later.look(s)
		return later
	}
	c.changes, c.all, c.planned = append(c.changes, later.changes...), c.all || later.all, c.planned || later.planned
	for _, p := range later.in {
		if _, looked := c.before[p.ID]; !looked {
			c.in, c.before[p.ID] = append(c.in, p), haircut.UnprotectedIn(s, p)
		}
	}
	return c
}

func (c *cut) change(s *fleet.State, partition, text string) {
	c.changes = append(c.changes, text)
	if p := s.Partition(partition); p != nil && !slices.Contains(c.in, p) {
		c.in = append(c.in, p)
	}
}

// look notes what is unprotected before the cut.
func (c *cut) look(s *fleet.State) {
	c.before = map[string][]fleet.Touched{}
	for _, p := range c.in {
		c.before[p.ID] = haircut.UnprotectedIn(s, s.Partition(p.ID))
	}
}

// takes lists what has become unprotected since, by partition of c.in.
func (c *cut) takes(s *fleet.State) [][]fleet.Touched {
	list := make([][]fleet.Touched, len(c.in))
	for i, p := range c.in {
		list[i] = newly(c.before[p.ID], haircut.UnprotectedIn(s, s.Partition(p.ID)))
	}
	return list
}

// reasonFor refuses a cut without a reason that would make running work
// unprotected, and names that work. It is tried on a copy, and only where
// no reason was given. All others wait for it, so the copy costs no more where much waits.
func reasonFor(s *fleet.State, c *cut, events []event.Event, now fleet.Instant) *Refusal {
	t := newTurn(s.TryAhead(aheadOfCut), max(now, s.Time))
	t.settle() // what is due by now anyway is none of the cut's doing
	c.look(t.s)
	guaranteed, from := c.guaranteed(t.s), len(t.events)
	for _, e := range events {
		if id := event.Workload(e); t.s.Workloads[id] == nil && s.Workloads[id] != nil {
			continue // it waits, far behind
		}
		t.emit(e)
	}
	t.settle()
	var named []string
	gpus, works := 0, 0
	for i, list := range c.takes(t.s) {
		for _, w := range list {
			gpus, works = gpus+w.GPUs, works+1
			if len(named) < mostNamed {
				named = append(named, fmt.Sprintf("%s (%s of %s in %s)", w.Workload, text.Count(w.GPUs, "GPU"), w.Quota, c.in[i].ID))
			}
		}
	}
	if works == 0 {
		return c.evicts(t.s, guaranteed, t.events[from:])
	}
	text := strings.Join(named, ", ")
	if more := works - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return refuse(ReasonNeeded, "this makes running work unprotected: %s; it runs on, and may be evicted for work inside its quota's backing; say why (--reason), and its people are told", text).
		with(map[string]int{"workloads": works, "gpus": gpus})
}

// guaranteed are the numbers of the work that is guaranteed where the cut is.
func (c *cut) guaranteed(s *fleet.State) map[uint64]bool {
	all := map[uint64]bool{}
	for _, p := range c.in {
		for _, a := range s.Partition(p.ID).Accounts {
			for _, w := range a.Work() {
				all[w.ID] = slices.ContainsFunc(slices.Concat(w.Replicas...), func(r fleet.Replica) bool { return r.HeldAs == fleet.HoldsGuaranteed && r.Phase != fleet.Leaving })
			}
		}
	}
	return all
}

// evicts refuses a cut without a reason by which guaranteed work leaves at once: others start in what it had.
func (c *cut) evicts(s *fleet.State, guaranteed map[uint64]bool, events []event.Event) *Refusal {
	var named []string
	gpus := 0
	for _, p := range c.in {
		leaves, _ := movedIn(s, s.Partition(p.ID), slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return !guaranteed[event.Workload(e)] }))
		for _, w := range leaves {
			gpus += w.GPUs
			named = append(named, fmt.Sprintf("%s (%s of %s in %s)", w.Workload, text.Count(w.GPUs, "GPU"), w.Quota, p.ID))
		}
	}
	if len(named) == 0 {
		return nil
	}
	return refuse(ReasonNeeded, "this evicts running work that is guaranteed now: %s; say why (--reason), and its people are told", text.Few(named, mostNamed)).
		with(map[string]int{"workloads": len(named), "gpus": gpus})
}

// aheadOfCut is how many waiting units of each kind of a queue are on the copy on which a cut is tried.
const aheadOfCut = 64

// mostNamed is how many workloads a message names.
const mostNamed = 20

// tell notes for each workload that a cut has made unprotected who did it, how and
// why, so that its people are told.
func (t *turn) tell(r *Request) {
	c := t.cut
	if c == nil {
		return
	}
	change := c.changes[0]
	if more := len(c.changes) - 1; more > 0 && !c.planned {
		change += fmt.Sprintf(", and %d more changes", more)
	}
	for i, list := range c.takes(t.s) {
		for _, w := range list {
			t.tellWork(w, event.ProtectionCut{Partition: c.in[i].ID, Change: change, By: r.Actor.Name, Reason: r.Reason})
		}
	}
}
