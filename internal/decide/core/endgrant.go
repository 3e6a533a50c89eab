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

// ended is the part of a grant that has ended in a turn.
type ended struct {
	p      *fleet.Partition
	quota  string
	was    fleet.Temporary
	before []fleet.Touched // unprotected in the partition before it ended
}

// endGrants ends the parts of grants whose moment has come, and tells the people of those
// that will end soon.
func (t *turn) endGrants() {
	if !t.s.GrantsEnd(t.now) {
		return
	}
	var gone []event.Event
	for _, p := range t.s.Partitions {
		for _, a := range p.Accounts {
			switch is := a.Temporary; {
			case is.GPUs == 0:
			case is.Until <= t.now:
				t.ended = append(t.ended, ended{p, a.Quota, is, haircut.UnprotectedIn(t.s, p)})
				t.emit(endOf(p, a))
				if a.Passing && a.Grant == 0 {
					gone = append(gone, event.GrantSet{Quota: a.Quota, Partition: p.ID, None: true})
				}
			case is.TellAt() <= t.now && !t.imagined:
				t.emit(event.GrantEnding{Quota: a.Quota, Partition: p.ID, GPUs: is.GPUs, Until: is.Until, Work: t.losers(p.ID, a.Quota)})
			}
		}
	}
	for _, e := range gone { // accounts may go with their grants
		t.emit(e)
	}
	t.s.GrantsEnded()
}

// dropGrants lets accounts go whose grant is no more, once the last of their work has left.
func (t *turn) dropGrants() {
	for _, p := range t.s.Partitions {
		for _, quota := range p.Ended() {
			t.emit(event.GrantSet{Quota: quota, Partition: p.ID, None: true})
		}
	}
}

// endOf is the end of what ends of a grant.
func endOf(p *fleet.Partition, a *fleet.Account) event.GrantEnded {
	left, gang := a.Lasting(), a.Temporary.Gang
	return event.GrantEnded{
		Quota: a.Quota, Partition: p.ID, GPUs: left, Gang: min(gang, a.Gang, p.InWholeNodes(left)), Overcommit: a.Temporary.Overcommit, Ended: a.Temporary,
	}
}

// losers is the work that would be unprotected, were the part of a grant that ends to
// end now. It is tried on a copy.
func (t *turn) losers(partition, quota string) []fleet.Touched {
	try := newTurn(t.s.ForkAhead(aheadOfCut), t.now) // all others wait for it
	try.imagined = true
	try.settle()
	p := try.s.Partition(partition)
	before := haircut.UnprotectedIn(try.s, p)
	try.emit(endOf(p, p.Account(quota)))
	try.settle()
	return newly(before, haircut.UnprotectedIn(try.s, p))
}

// tellEnded notes for each workload that an end has left unprotected which it was, so that
// its people are told as after any cut (semantics §4).
func (t *turn) tellEnded() {
	for _, e := range t.ended {
		change := fmt.Sprintf("%s of the grant of %s in %s ended at %s", text.Count(e.was.GPUs, "GPU"), e.quota, e.p.ID, momentText(e.was.Until))
		for _, w := range newly(e.before, haircut.UnprotectedIn(t.s, e.p)) {
			t.tellWork(w, event.ProtectionCut{Partition: e.p.ID, Change: change, By: e.was.By, Reason: e.was.Reason})
		}
	}
}

// tellWork notes once in a turn that a workload has become unprotected.
func (t *turn) tellWork(w fleet.Touched, e event.ProtectionCut) {
	if slices.Contains(t.told, w.Workload) {
		return
	}
	t.told = append(t.told, w.Workload)
	namespace, name, _ := strings.Cut(w.Workload, "/")
	e.ID, e.Quota, e.GPUs = t.s.Workload(namespace, name).ID, w.Quota, w.GPUs
	t.emit(e)
}
