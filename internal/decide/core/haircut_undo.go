package core

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// undoWave gives back what one wave cut, in one record. It may bring assigned
// above sustainable again, for that is what it was; above what it was only by overcommit.
func undoWave(s *fleet.State, r Request, c UndoHaircut, now fleet.Instant) ([]event.Event, *Refusal) {
	h, refusal := findHaircut(s, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	at, refusal := waveToUndo(h, c.Cluster)
	if refusal != nil {
		return nil, refusal
	}
	w := h.Waves[at]
	for _, part := range w.Parts {
		for _, cut := range part.Cuts {
			was := leftBy(cut, now)
			if a := s.Partition(part.Partition).Account(cut.Quota); a == nil || a.Grant != was.GPUs || a.Gang != was.Gang {
				return nil, notAsLeft(cut, part.Partition, a, was.GPUs)
			}
		}
	}
	events := giveBack(s, h, at, now)
	refusal = roomGranted(s, w, events, now)
	switch {
	case refusal == nil:
	case !c.Overcommit:
		return nil, refusal
	default:
		if refusal := overcommitNeedsReason(r); refusal != nil {
			return nil, refusal
		}
		events = overcommitted(events)
	}
	return append([]event.Event{event.HaircutUndone{Haircut: h.Name, Cluster: w.Cluster, Class: w.Class}}, events...), nil
}

// roomGranted refuses to give back GPUs that were granted to others, or held, since the wave:
// more would be assigned than just before it, and than is sustainable.
func roomGranted(s *fleet.State, w fleet.Wave, events []event.Event, now fleet.Instant) *Refusal {
	for _, was := range w.Backing {
		p := s.Partition(was.Partition)
		more, limit := risen(events, p), sustainable(s, p, now)
		after := assignedAndHeld(s, p, now) + more
		over := after - max(was.Assigned, limit)
		if was.Assigned > 0 && over > 0 {
			return refuse(Overpromise, "%s would have %s assigned%s (%s before the wave) and can sustain %s: the room was granted or held since; lower another grant by %s, or overcommit (--overcommit) with a reason",
				p.ID, text.Count(after, "GPU"), heldAmong(after-p.Assigned()-more), text.Group(was.Assigned), text.Group(limit), text.Count(over, "GPU")).
				with(map[string]int{"assigned": p.Assigned(), "more": more, "before": was.Assigned, "sustainable": limit})
		}
	}
	return nil
}

// risen is by how many GPUs events raise the grants of a partition.
func risen(events []event.Event, p *fleet.Partition) (gpus int) {
	for _, e := range events {
		if e, is := e.(event.GrantSet); is && e.Partition == p.ID {
			gpus += e.GPUs - e.Was
		}
	}
	return gpus
}

// overcommitted marks the grants among events as given beyond what is sustainable.
func overcommitted(events []event.Event) []event.Event {
	for i, e := range events {
		if e, is := e.(event.GrantSet); is {
			e.Overcommit = true
			events[i] = e
		}
	}
	return events
}

// notAsLeft refuses to undo a cut of a grant that has changed since. GPUs that were given for
// a time can be ended by one command; any other grant is set by hand.
func notAsLeft(cut fleet.Cut, partition string, a *fleet.Account, left int) *Refusal {
	if a != nil && cut.Temporary == nil && a.Temporary.GPUs > 0 && a.Lasting() == left {
		return refuse(Stale, "%s has %s more in %s for a time, given since the wave; end them (muster quota grant %s %s 0 --until now), and undo it then",
			cut.Quota, text.Count(a.Temporary.GPUs, "GPU"), partition, cut.Quota, partition)
	}
	return refuse(Stale, "the grant of %s in %s has changed since the wave; set it by hand (it was %d)", cut.Quota, partition, cut.Was)
}

// waveToUndo finds the wave over a cluster, or over any, that was applied last.
func waveToUndo(h *fleet.Haircut, cluster string) (int, *Refusal) {
	last := -1
	for i := range h.Waves {
		if w := &h.Waves[i]; w.Done() && (last < 0 || w.Applied >= h.Waves[last].Applied) && (cluster == "" || cluster == w.Cluster) {
			last = i
		}
	}
	switch {
	case last >= 0:
		return last, nil
	case cluster != "" && len(h.WavesOf(cluster)) == 0:
		return 0, noWave(h, cluster, "")
	case cluster != "":
		return 0, refuse(NothingToDo, "no wave of haircut %s over %s is in force, so there is nothing to undo", h.Name, cluster)
	}
	return 0, refuse(NothingToDo, "no wave of haircut %s is in force, so there is nothing to undo", h.Name)
}

// giveBack is the grants as they were before a wave and, where that takes cover
// from no quota that got it since, the same islands that backed them then. It
// says what this makes of running work, too. The backing in force is an input of the next
// one, so undoing must lead back to where the wave began. A later wave of the cluster
// that is in force stays: its grants rise by what this one cut, and its islands
// are not those of before.
func giveBack(s *fleet.State, h *fleet.Haircut, wave int, now fleet.Instant) []event.Event {
	t, w := newTurn(s.ForkAhead(1), now), h.Waves[wave] // of what waits nothing is read, and all others wait for the copy
	last := !slices.ContainsFunc(h.WavesOf(w.Cluster), func(i int) bool { return i > wave && h.Waves[i].Done() })
	for _, part := range w.Parts {
		for _, c := range part.Cuts {
			t.emit(regrant(t.s.Partition(part.Partition), c, last, now))
		}
	}
	if last {
		t.backAgain(w)
	}
	for _, part := range w.Parts {
		for pl := placement.New(t.s, t.s.Partition(part.Partition), now); t.classify(pl); {
		}
	}
	return t.events
}

// leftBy is the grant that a cut has left by now: what of it ends may have ended since.
func leftBy(c fleet.Cut, now fleet.Instant) (left struct{ GPUs, Gang int }) {
	left.GPUs, left.Gang = c.Now, c.GangNow
	if t := c.Ends(); t.GPUs > 0 && t.Until <= now {
		left.GPUs, left.Gang = c.Now-t.GPUs, min(t.Gang, c.GangNow)
	}
	return left
}

// regrant is the grant as it was before a cut, without what would have ended since. Where a
// later cut is in force, it rises by what this one took.
func regrant(p *fleet.Partition, c fleet.Cut, last bool, now fleet.Instant) event.GrantSet {
	a := p.EnsureAccount(c.Quota)
	e := event.GrantSet{
		Quota: c.Quota, Partition: p.ID, GPUs: a.Grant + c.GPUs(), Gang: c.Gang, Was: a.Grant, Overcommit: c.Overcommit,
		Temporary: a.Temporary, WasTemporary: a.Temporary,
	}
	switch back := c.TemporaryCut(); {
	case back == 0:
	case c.Temporary.Until <= now:
		e.GPUs -= back
		e.Gang = min(e.Gang, max(a.Gang, c.Temporary.Gang), p.InWholeNodes(e.GPUs))
	default:
		if e.Temporary = *c.Temporary; !last {
			e.Temporary.GPUs = a.Temporary.GPUs + back
		}
	}
	return e
}

// backAgain brings backing to what it was, with whether a grant had changed since
// it was set (fleet.Partition.Regranted).
func (t *turn) backAgain(w fleet.Wave) {
	for _, back := range w.Backing {
		if e, ok := backAgain(t.s.Partition(back.Partition), back); ok {
			t.emit(e)
		}
	}
}

// backAgain is the change that brings a partition's backing to what it was, if
// the nodes are there and work stands as it did, or keeps the cover that it has.
func backAgain(p *fleet.Partition, was fleet.PartitionBack) (event.BackingAligned, bool) {
	e := event.BackingAligned{Partition: p.ID, Promisable: p.Promisable, Unsustained: p.Unsustained, Regranted: was.Regranted}
	total, as := make([]int, len(p.Islands)), stands(p, was)
	for _, island := range p.Islands {
		e.Shares = append(e.Shares, island.Share)
	}
	for _, a := range p.Accounts {
		back := was.Nodes[a.Quota]
		if back == nil {
			back = make([]int, len(p.Islands))
		}
		if len(back) != len(p.Islands) {
			return e, false // islands have come since
		}
		gang := was.Gangs[a.Quota]
		if gang.Island = cmp.Or(gang.Island, p.IslandName(0)); gang != (fleet.Gang{Missing: a.GangMissing, Island: p.IslandName(a.GangIsland)}) {
			e.Gangs = append(e.Gangs, event.GangStatus{Quota: a.Quota, Missing: gang.Missing, Island: gang.Island})
		}
		for i, island := range p.Islands {
			if total[i] += back[i]; total[i] > island.Whole() || !as && back[i] < min(a.Touched(i), a.Backing[i]) {
				return e, false
			}
			if back[i] != a.Backing[i] {
				e.Backing = append(e.Backing, event.Backed{Quota: a.Quota, Island: island.Name, Nodes: back[i]})
			}
		}
	}
	return e, was.Promisable == p.Promisable
}

// stands says whether in-quota work touches just what it touched then.
func stands(p *fleet.Partition, was fleet.PartitionBack) bool {
	for _, a := range p.Accounts {
		now := touchedBy(p, a)
		if then := was.Touched[a.Quota]; !slices.Equal(then, now) && (then != nil || slices.ContainsFunc(now, func(n int) bool { return n > 0 })) {
			return false
		}
	}
	return true
}
