package whatif

import (
	"maps"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Start is how a workload starts, if it does.
type Start struct {
	At        fleet.Instant // when; after victims' grace, or a dwell, where there is one
	Holds     fleet.HeldAs
	Partition string
	Islands   []string // in order of name
	GPUs      int
	Nodes     int
	Evicts    []string // workloads that leave for it, whole or in part, as namespace/name
	Outranks  []string // workloads that lose the room reserved for them, and wait again
}

// trial is one copy of the state on which something is tried.
type trial struct {
	s   *fleet.State
	now fleet.Instant
	by  map[uint64][]uint64 // who had to leave, by whom they left for
	out []uint64            // who lost the room reserved for them, as it happened
	// beyond is the work that something was decided about, and that may also stand in
	// partitions which are not part of the copy.
	beyond []*fleet.Workload
	stop   func() bool // there is no time for more
}

// trial begins a try on a copy that takes the place of the one before: that one is over.
func (b *tries) trial(on *fleet.State) *trial { return b.trialOf(on.ForkInto(b.arena)) }

// trialOf begins a try on a copy of its own.
func (b *tries) trialOf(own *fleet.State) *trial {
	own.StopLearning()
	return &trial{s: own, now: b.now, by: map[uint64][]uint64{}, stop: b.over}
}

// do gives the commands one after the other; false if one is refused, or if there is no time for all of them.
func (t *trial) do(commands []core.Command) bool {
	for i, c := range commands {
		if i%oneByOne == oneByOne-1 && t.stop() || !t.step(c) {
			return false
		}
	}
	return true
}

// together gives the commands as one, so that the fleet reacts to all of them once; false if one is refused.
func (t *trial) together(commands []core.Command) bool {
	_, refused := t.give(core.Batch{Commands: commands, Each: true})
	return !slices.ContainsFunc(refused, func(r *core.Refusal) bool { return r != nil })
}

func (t *trial) step(c core.Command) bool {
	ok, _ := t.give(c)
	return ok
}

// give gives a command, and notes what it leads to.
func (t *trial) give(c core.Command) (ok bool, refused []*core.Refusal) {
	out, refusal := core.Step(t.s, core.Request{Command: c, Actor: actorOf(c), Reason: "tried"}, t.now)
	for _, e := range out.Record.Events {
		if w := t.s.Workloads[event.Workload(e)]; w != nil && t.s.Elsewhere(w) {
			t.beyond = append(t.beyond, w)
		}
		switch e := e.(type) {
		case event.ReplicasEvicted:
			if e.For != 0 {
				t.by[e.For] = append(t.by[e.For], e.ID)
			}
		case event.ReservationEnded:
			t.out = append(t.out, e.ID)
		}
	}
	return refusal == nil, out.Refused
}

// actorOf is who would do it: a validation is a person's, who may move what
// another person keeps; another size of what makes pods on a cluster is repeated by that.
func actorOf(c core.Command) core.Actor {
	switch c := c.(type) {
	case core.Batch:
		return actorOf(c.Commands[0])
	case core.RecordValidation:
		return core.Actor{Name: "operator", Operator: true}
	case core.Resize:
		return core.Reporter
	}
	return core.System
}

// rounds bounds how often something is waited for: a victim's grace may be
// followed by another's.
const rounds = 24

// reserves says whether the workload has got room, were it still others' for their grace.
func (t *trial) reserves(namespace, name string) bool {
	w := t.s.Workload(namespace, name)
	return w != nil && (w.State == fleet.Starting || w.State == fleet.RunningW)
}

// follow lets work leave that must, and alarms ring for as long as patience lasts,
// until the workload runs and no work is on its way out. A workload that started
// only to be evicted by work that comes back has not been helped.
func (t *trial) follow(namespace, name string, patience time.Duration) (st Start, ok bool) {
	until := t.now.Add(patience)
	for range rounds {
		w := t.s.Workload(namespace, name)
		if w == nil || w.State.Ended() {
			return Start{}, false
		}
		runs := w.State == fleet.RunningW
		if runs && !ok {
			st = t.start(w)
		}
		ok = runs
		if t.leave() {
			continue
		}
		if ok || !t.wait(until) {
			return st, ok
		}
	}
	return Start{}, false
}

// leave brings the moment when the next of those on the way out have left;
// false if none is.
func (t *trial) leave() bool {
	var leavers []*fleet.Workload
	first := fleet.Never
	for _, p := range t.s.Partitions {
		for _, w := range p.Leaving() {
			if !w.Overdue() { // when overdue work leaves cannot be known
				leavers = append(leavers, w)
			}
		}
	}
	if len(leavers) == 0 {
		return false
	}
	for _, w := range leavers {
		first = min(first, w.GraceEnds)
	}
	t.now = max(t.now, first)
	var reports []core.Command
	for _, w := range leavers {
		if w.GraceEnds == first {
			reports = append(reports, core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
		}
	}
	return t.do(reports)
}

// alarms bounds how many alarms that change nothing are waited for in a row.
const alarms = 2000

// wait lets alarms ring until one of them changes something, if one does in time.
// How many ring without effect says nothing: a state remembers some that a copy made
// from scratch would not set.
func (t *trial) wait(until fleet.Instant) bool {
	for range alarms {
		if t.now >= until {
			return false
		}
		t.now = max(t.now+1, min(t.s.NextAlarm(), until))
		before := t.s.Seq
		if !t.step(core.Tick{}) {
			return false
		}
		if t.s.Seq > before {
			return true
		}
	}
	return false
}

func (t *trial) start(w *fleet.Workload) Start {
	p := w.At()
	st := Start{At: t.now, Holds: w.HeldAs(), Partition: p.ID, GPUs: w.GPUs()}
	nodes, islands := map[int]bool{}, map[string]bool{}
	for _, spot := range w.Spots(func(fleet.Replica) bool { return true }) {
		for _, n := range spot.Nodes {
			nodes[n] = true
			islands[p.Islands[p.Nodes[n].Island].Name] = true
		}
	}
	st.Nodes, st.Islands = len(nodes), slices.Sorted(maps.Keys(islands))
	st.Evicts = t.named(t.by[w.ID], func(*fleet.Workload) bool { return true })
	st.Outranks = t.named(t.out, func(v *fleet.Workload) bool { return v.State == fleet.Pending && v.ID != w.ID })
	return st
}

// named are the names of those workloads that are so, each once, in the order given.
func (t *trial) named(ids []uint64, so func(*fleet.Workload) bool) []string {
	var names []string
	seen := map[uint64]bool{}
	for _, id := range ids {
		if v := t.s.Workloads[id]; v != nil && !seen[id] && so(v) {
			seen[id] = true
			names = append(names, v.Namespace+"/"+v.Name)
		}
	}
	return names
}
