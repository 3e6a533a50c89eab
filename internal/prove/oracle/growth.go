package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of elastic pools (§5).
var growthLaws = []Law{
	{"flex-pools-grow", "an elastic pool on flex grows while there is room and no work waits (§5)", eachPart(flexGrows)},
	{"quota-pools-grow", "an elastic pool grows inside its quota's backing while there is room and no work of its tree waits (§5)", eachPart(quotaGrows)},
	{"waiting-joins", "a pool of higher rank joins as room allows (§5)", eachPart(joins)},
}

// short finds running elastic pools that are not being mended and could grow.
func (p *Part) short(m Moment, look func(j *Job, pool int)) {
	for _, j := range m.After.Jobs {
		if j.At != p.ID || j.State != fleet.RunningW || slices.ContainsFunc(j.Units, func(u Unit) bool { return u.Phase != fleet.Running }) {
			continue
		}
		for i, pool := range j.Pools {
			if n := j.Count(i); pool.Elastic && n >= pool.Min && n > 0 && n < pool.Max {
				look(j, i)
			}
		}
	}
}

// calm says whether no work waits, for the part of the fleet that is asked for.
func (p *Part) calm(m Moment, of func(*Job) bool) bool {
	for _, j := range m.After.Jobs {
		if _, waits := p.waits(j); waits && of(j) || of(j) && (j.State == fleet.Evicting || j.State == fleet.Mending || j.State == fleet.Starting) {
			return false
		}
	}
	return true
}

func flexGrows(m Moment, p *Part, s *said) {
	if p.Stale || !p.calm(m, func(*Job) bool { return true }) {
		return
	}
	p.short(m, func(j *Job, pool int) {
		if j.Flexes() && j.Pools[pool].Reach == fleet.ReachAny && p.open(p.Units, nil).Fits([]Piece{pieceOf(j.Pools[pool], 1)}) {
			s.add("%s has %d of at most %d replicas of %s, and there is room for one more", j.Name, j.Count(pool), j.Pools[pool].Max, j.Pools[pool].Name)
		}
	})
}

func quotaGrows(m Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	p.short(m, func(j *Job, pool int) {
		q := p.Quota(j.Target)
		if j.Flexes() || q == nil || q.Held || j.Pools[pool].Reach != fleet.ReachAny || !p.calm(m, func(k *Job) bool { return k.Tree == j.Tree }) {
			return
		}
		stay := p.of(func(u Unit) bool { return !u.Job.Flexes() && u.Stays() })
		if p.finds(j, []Piece{pieceOf(j.Pools[pool], 1)}, stay) {
			s.add("%s has %d of at most %d replicas of %s, and its quota has room for one more", j.Name, j.Count(pool), j.Pools[pool].Max, j.Pools[pool].Name)
		}
	})
}

// joins looks at pools of higher rank of workloads that run, where no other work waits.
func joins(m Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	for _, j := range m.After.Jobs {
		rank, waits := p.waits(j)
		if !waits || j.At != p.ID || j.State != fleet.RunningW || rank == j.Base() {
			continue
		}
		others := func(k *Job) bool { return k != j && (k.Tree == j.Tree || j.Flexes() && k.Flexes()) }
		q := p.Quota(j.Target)
		if !p.calm(m, others) || !j.Flexes() && (q == nil || q.Held || j.Units[0].Holds != fleet.HoldsGuaranteed) || slices.ContainsFunc(j.Units, func(u Unit) bool { return u.Phase != fleet.Running }) {
			continue
		}
		stay := p.Units
		if !j.Flexes() {
			stay = p.of(func(u Unit) bool { return !u.Job.Flexes() })
		}
		if !p.unsure(j) && p.finds(j, lacks(j, rank), stay) {
			s.add("%s runs without its pools of rank %d, for which there is room", j.Name, rank)
		}
	}
}
