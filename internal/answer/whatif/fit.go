package whatif

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Place is one answer to where a workload would run: in one partition, with one target.
type Place struct {
	Target, Partition string
	Starts            bool
	Start             Start             // where it starts
	Blockers          []explain.Blocker // where it waits
	Refusal           *core.Refusal     // where it would be refused
	// Tried is the copy of the state in which it waits, and ID its number there;
	// nil where it does not wait.
	Tried *fleet.State
	ID    uint64
}

// Fitted is what came of asking where a workload fits.
type Fitted struct {
	Places []Place
	Missed bool // some targets were not tried
}

// Fit says where a workload would run if it were submitted now: with its own
// target if it names one, else in every quota that its user may use and on flex;
// in its partition, or in each. The state is not changed. by is who would submit it, and is told what the reader may be.
func Fit(s *fleet.State, by core.Actor, reader explain.Reader, spec fleet.Spec, now fleet.Instant, b Budget) Fitted {
	x := newTries(s, now, b)
	var f Fitted
	for _, target := range targetsOf(x.s, by, spec, now) {
		for _, p := range x.s.Partitions {
			if !spec.May(p) || target != fleet.Flex && !granted(p, target) {
				continue
			}
			if !x.open() {
				return Fitted{f.Places, true}
			}
			f.Places = append(f.Places, x.fit(spec, target, p, reader))
		}
	}
	return f
}

// Together is a copy of the state in which the work waits in several of the places at once,
// each time under another name. It comes with the number of the work for each place: 0 where it
// would not wait beside the others. One walk through the future can forecast all of them.
func Together(s *fleet.State, spec fleet.Spec, places []Place, now fleet.Instant) (*fleet.State, []uint64) {
	b := newTries(s, now, Budget{})
	t := b.trialOf(b.all().Fork())
	ids := make([]uint64, len(places))
	if _, refusal := core.Step(t.s, core.Request{Command: core.Tick{}, Actor: core.System}, t.now); refusal != nil {
		return t.s, ids
	}
	name := spec.Name
	for i, place := range places {
		spec.Target, spec.Partition, spec.Name = place.Target, place.Partition, fmt.Sprintf("%s-at-%d", name, i+1)
		if !t.step(core.Submit{Spec: spec}) {
			continue
		}
		w := t.s.Workload(spec.Namespace, spec.Name)
		if w.State == fleet.Pending {
			ids[i] = w.ID
			continue
		}
		t.step(core.Cancel{Namespace: spec.Namespace, Name: spec.Name})
	}
	return t.s, ids
}

// granted says whether a quota, or its tree, has anything in a partition.
func granted(p *fleet.Partition, target string) bool { return p.Account(target) != nil }

// targetsOf lists the targets that a workload may have: quotas by path, then flex.
func targetsOf(s *fleet.State, by core.Actor, spec fleet.Spec, now fleet.Instant) []string {
	if spec.Target != "" {
		return []string{spec.Target}
	}
	var list []string
	for _, q := range s.Quotas {
		if core.MayTarget(s, by, q, spec, now) {
			list = append(list, q.Path)
		}
	}
	return append(list, fleet.Flex)
}

func (b *tries) fit(spec fleet.Spec, target string, p *fleet.Partition, reader explain.Reader) Place {
	place := Place{Target: target, Partition: p.ID}
	spec.Target, spec.Partition = target, p.ID
	t := b.trialOf(b.all().Fork()) // it is Tried, and stays
	if _, refusal := core.Step(t.s, core.Request{Command: core.Tick{}, Actor: core.System}, t.now); refusal != nil {
		return place
	}
	if _, place.Refusal = core.Decide(t.s, core.Request{Command: core.Submit{Spec: spec}, Actor: core.System}, t.now); place.Refusal != nil {
		return place
	}
	t.step(core.Submit{Spec: spec})
	if place.Start, place.Starts = t.follow(spec.Namespace, spec.Name, 0); place.Starts {
		return place
	}
	if w := t.s.Workload(spec.Namespace, spec.Name); w != nil {
		place.Blockers, place.Tried, place.ID = reader.Why(t.s, w, t.now), t.s, w.ID
	}
	return place
}
