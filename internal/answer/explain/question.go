package explain

import (
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// question is one workload asked about in one partition.
type question struct {
	s      *fleet.State
	p      *fleet.Partition
	w      *fleet.Workload
	now    fleet.Instant
	reader Reader // who asks
	pl     *placement.Planner
	it     fleet.Waiting // the workload's base unit, as it waits in its queue

	gpus int // that it needs at once
	gang int // nodes of its largest gang; 0: it has none
}

// inPartition lists what keeps a workload from starting in one partition. Where nothing
// else does, it may rest after evictions.
func (r Reader) inPartition(s *fleet.State, p *fleet.Partition, w *fleet.Workload, now fleet.Instant) []Blocker {
	q := newQuestion(s, p, w, now)
	q.reader = r
	list := q.everywhere()
	if len(list) == 0 {
		if b, ok := q.resting(); ok {
			return []Blocker{b}
		}
	}
	if w.Flexes() {
		return append(list, q.onFlex(len(list) > 0)...)
	}
	return append(list, q.inQuota(p.Account(w.Target), len(list) > 0)...)
}

func newQuestion(s *fleet.State, p *fleet.Partition, w *fleet.Workload, now fleet.Instant) *question {
	q := &question{s: s, p: p, w: w, now: now, pl: placement.New(s, p, now), it: fleet.Waiting{
		Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false),
	}}
	q.gpus, q.gang = placement.Needs(p, q.it)
	return q
}

// reach is the word for what must hold a whole gang: a rack, if any pool asks for one, else an island.
func (q *question) reach() string {
	for _, pool := range q.w.Pools {
		if pool.Reach == fleet.ReachRack {
			return "rack"
		}
	}
	return "island"
}

// key is a unit's place in its quota's order. Work past its declared maximum run time has
// lost its age, so it comes last among its equals.
func (q *question) key(w *fleet.Workload, rank int, surplus bool) fleet.Key {
	key := fleet.KeyOf(w, rank, surplus)
	if w.Overran(q.now) {
		key.Since = fleet.Never
	}
	return key
}
