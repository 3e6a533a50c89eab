package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// DraftHaircut makes a plan and tries it, without saving it. The state is not changed.
func DraftHaircut(s *fleet.State, ask haircut.Ask, now fleet.Instant) (fleet.Haircut, *Refusal) {
	if refusal := CheckAsk(s, ask); refusal != nil {
		return fleet.Haircut{}, refusal
	}
	h := haircut.Make(s, ask, now)
	tryWaves(s.Fork, h.Waves, now)
	return h, nil
}

// tryWaves applies waves to a copy of the fleet, one after another, lets the same
// rules that decide react, and notes what came of it in their parts.
func tryWaves(fork func() *fleet.State, waves []fleet.Wave, now fleet.Instant) {
	if len(waves) == 0 {
		return
	}
	s := fork()
	t := newTurn(s, max(now, s.Time))
	t.settle() // what is due by now anyway is none of the plan's doing
	for _, w := range waves {
		t.tryWave(w.Parts)
	}
}

func (t *turn) tryWave(parts []fleet.CutPart) {
	from, starting := len(t.events), map[string]map[uint64]bool{}
	for i := range parts {
		part := &parts[i]
		p := t.s.Partition(part.Partition)
		part.Known = haircut.UnprotectedIn(t.s, p)
		part.Flex, part.Firm = p.Flex(), firm(p)
		starting[p.ID] = startingIn(p)
	}
	for _, part := range parts {
		for _, c := range part.Cuts {
			t.emit(grantOf(part.Partition, c))
		}
	}
	t.settle()
	for i := range parts {
		part := &parts[i]
		p := t.s.Partition(part.Partition)
		part.Unprotected = newly(part.Known, haircut.UnprotectedIn(t.s, p))
		part.FlexAfter, part.FirmAfter = p.Flex(), firm(p)
		part.Evicted, part.Starts = movedIn(t.s, p, t.events[from:])
		part.Requeued = requeued(t.s, starting[p.ID], t.events[from:])
	}
}

// grantOf is the grant that a cut leaves.
func grantOf(partition string, c fleet.Cut) event.Event {
	e := event.GrantSet{Quota: c.Quota, Partition: partition, GPUs: c.Now, Gang: c.GangNow, Was: c.Was, Temporary: c.Ends()}
	if c.Temporary != nil {
		e.WasTemporary = *c.Temporary
	}
	return e
}

// firm is the flex that no quota's unscheduled backing can call back.
func firm(p *fleet.Partition) int {
	n := p.Flex()
	for _, a := range p.Accounts {
		n -= max(0, a.BackedGPUs()-a.Usage())
	}
	return max(0, n)
}

// newly lists what of the second list is not in the first, or with fewer GPUs.
func newly(before, after []fleet.Touched) []fleet.Touched {
	had := map[string]int{}
	for _, t := range before {
		had[t.Workload] = t.GPUs
	}
	var list []fleet.Touched
	for _, t := range after {
		if more := t.GPUs - had[t.Workload]; more > 0 {
			t.GPUs = more
			list = append(list, t)
		}
	}
	return list
}

// movedIn lists the work that events make leave a partition, and that starts there.
func movedIn(s *fleet.State, p *fleet.Partition, events []event.Event) (evicted, starts []fleet.Touched) {
	for _, e := range events {
		switch e := e.(type) {
		case event.ReplicasEvicted:
			if w := s.Workloads[e.ID]; w.Where == p.ID {
				evicted = append(evicted, touched(s, w, e.Spots))
			}
		case event.ReplicasPlaced:
			if w := s.Workloads[e.ID]; e.Partition == p.ID {
				starts = append(starts, touched(s, w, e.Spots))
			}
		}
	}
	return evicted, starts
}

// startingIn is the in-quota work that has room reserved in a partition, by number.
func startingIn(p *fleet.Partition) map[uint64]bool {
	all := map[uint64]bool{}
	for _, w := range p.Reserving() {
		all[w.ID] = !w.Flexes()
	}
	return all
}

// requeued lists which of some starting work loses reserved room by events and gets none
// instead, in order of name.
func requeued(s *fleet.State, starting map[uint64]bool, events []event.Event) (list []fleet.Touched) {
	lost := map[uint64]int{}
	for _, e := range events {
		switch e := e.(type) {
		case event.ReservationEnded:
			lost[e.ID] += touched(s, s.Workloads[e.ID], e.Spots).GPUs
		case event.ReplicasPlaced:
			lost[e.ID] -= touched(s, s.Workloads[e.ID], e.Spots).GPUs
		}
	}
	for id, gpus := range lost {
		if t := touched(s, s.Workloads[id], nil); starting[id] && gpus > 0 {
			t.GPUs = gpus
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b fleet.Touched) int { return cmp.Compare(a.Workload, b.Workload) })
	return list
}

func touched(s *fleet.State, w *fleet.Workload, spots []fleet.Spot) fleet.Touched {
	t := fleet.Touched{Workload: w.Namespace + "/" + w.Name, Quota: w.Target, Owner: s.OwnerOf(w.Target)}
	for _, spot := range spots {
		t.GPUs += len(spot.Nodes) * w.Pools[spot.Pool].GPUs
	}
	return t
}

// GateOf says why a wave that is in force stops the next one. Either a promise that the
// plan made is broken. Or guaranteed work waits inside its quota's grant because the grant
// is not backed, and would run without the wave, which is tried on a copy. That work waits
// longer in a smaller grant was decided with the wave. Nothing: the gate is open.
func GateOf(s *fleet.State, h *fleet.Haircut, wave int, now fleet.Instant) []string {
	w := &h.Waves[wave]
	if !w.Done() {
		return nil
	}
	stops := brokenIn(s, h, w, now)
	t := newTurn(s.ForkAhead(aheadOfCut), max(now, s.Time)) // all others wait for it
	t.settle()
	from, waits := len(t.events), map[uint64]bool{}
	for id, x := range t.s.Workloads {
		waits[id] = x.State == fleet.Pending
	}
	for _, e := range giveBack(t.s, h, wave, now) {
		t.emit(e)
	}
	t.settle()
	for _, e := range t.events[from:] {
		e, ok := e.(event.ReplicasPlaced)
		if !ok || e.Holds != fleet.HoldsGuaranteed || !waits[e.ID] {
			continue
		}
		if x := t.s.Workloads[e.ID]; misses(s.Partition(e.Partition), touched(s, x, e.Spots)) {
			stops = append(stops, "guaranteed work "+x.Namespace+"/"+x.Name+" waits in "+e.Partition+" and would run without the wave")
		}
	}
	return stops
}

// misses says whether a quota's grant is not backed, and would hold some more GPUs of guaranteed work.
func misses(p *fleet.Partition, more fleet.Touched) bool {
	a := p.Account(more.Quota)
	if a == nil || a.BackedGPUs() >= a.Grant-a.Fraction() && a.GangMissing == 0 {
		return false
	}
	guaranteed := a.Usage() - a.GPUsAs(fleet.HoldsBorrowing) - a.GPUsAs(fleet.HoldsUnprotected)
	return guaranteed+more.GPUs <= a.Grant
}

// brokenIn says where a wave's promise is broken: more is assigned than the wave left, and
// than is sustainable. What nodes that have failed since take is no fault of the wave.
func brokenIn(s *fleet.State, h *fleet.Haircut, w *fleet.Wave, now fleet.Instant) []string {
	var broken []string
	for _, part := range w.Parts {
		p := s.Partition(part.Partition)
		can := haircut.Sustainable(haircut.Under(s, h.Buffer), p, now)
		if p.Assigned() > max(can, part.Sustainable)+part.Left {
			broken = append(broken, fmt.Sprintf("the promise in %s is broken: %s assigned, %s sustainable", p.ID, text.Count(p.Assigned(), "GPU"), text.Group(can)))
		}
	}
	return broken
}
