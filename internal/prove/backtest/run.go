package backtest

import (
	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
)

// Figures are what came of a policy's promises on some pools over one horizon.
type Figures struct {
	Promises  int     `json:"promises"` // issued, one an hour and pool, whose horizon is over
	Kept      int     `json:"kept"`
	Realised  float64 `json:"realised"`    // kept ÷ issued
	Buffer    float64 `json:"mean_buffer"` // mean of (installed − promised) ÷ installed
	Broken    float64 `json:"broken_quota_hours"`
	Short     float64 `json:"gpu_hours_short"`   // promised and not there
	Flex      float64 `json:"gpu_hours_to_flex"` // healthy and not promised
	Changes   int     `json:"quota_changes"`     // hours in which another number was promised than in the one before
	PoolHours int     `json:"pool_hours"`
	held      float64
}

// Add puts the figures of other pools to these.
func (f *Figures) Add(g Figures) {
	f.Promises += g.Promises
	f.Kept += g.Kept
	f.Broken += g.Broken
	f.Short += g.Short
	f.Flex += g.Flex
	f.Changes += g.Changes
	f.PoolHours += g.PoolHours
	f.held += g.held
	if f.Promises > 0 {
		f.Realised = float64(f.Kept) / float64(f.Promises)
		f.Buffer = f.held / float64(f.Promises)
	}
}

// Promises are what a policy promises at each hour of a pool's past, in nodes, each
// made from the hours before it and the nodes down at that moment (but by hindsight).
func Promises(p Pool, policy Policy, horizon int) []int {
	if policy.Kind == hindsightKind {
		return policy.inHindsight(p.Hours, horizon)
	}
	return trial.Promises(policy.tried(), p.Hours, p.Racks, p.Rate, horizon)
}

// Try issues a promise every hour of the pool's past. Each is made from the hours before it
// and the nodes down at that moment, and judged over its horizon: it is kept if the whole
// healthy nodes never fall below it. Promises whose horizon
// reaches beyond the past are not issued.
func Try(p Pool, policy Policy, horizon int) Figures {
	promises := Promises(p, policy, horizon)
	worst := worstAhead(p.Hours, horizon)
	var f Figures
	standing := newStanding(horizon)
	for t := range len(p.Hours) - horizon {
		h := p.Hours[t]
		promised := promises[t]
		f.Promises++
		f.held += float64(h.Nodes-promised) / float64(max(1, h.Nodes))
		if h.Nodes-worst[t] >= promised {
			f.Kept++
		}
		f.Flex += float64((h.Nodes - h.Level - promised) * p.GPUsPerNode)
		if standing.issue(promised) {
			f.Changes++
		}
		if missing := standing.most() - (h.Nodes - h.Peak); missing > 0 {
			f.Broken++
			f.Short += float64(missing * p.GPUsPerNode)
		}
	}
	f.PoolHours = f.Promises
	var sum Figures
	sum.Add(f) // the shares
	return sum
}

// worstAhead is, for each hour, the most nodes down at one moment within the horizon.
func worstAhead(hours []buffer.Hour, horizon int) []int {
	out := make([]int, max(0, len(hours)-horizon))
	var best []int // hours with ever smaller peaks
	for i, h := range hours {
		for len(best) > 0 && hours[best[len(best)-1]].Peak <= h.Peak {
			best = best[:len(best)-1]
		}
		best = append(best, i)
		t := i - horizon + 1
		if t < 0 || t >= len(out) {
			continue
		}
		if best[0] < t {
			best = best[1:]
		}
		out[t] = hours[best[0]].Peak
	}
	return out
}

// standing knows the largest promise that still binds: those of the last horizon.
type standing struct {
	horizon, now int
	best         []bound
	last         int
}

type bound struct{ at, promised int }

func newStanding(horizon int) *standing { return &standing{horizon: horizon, now: -1, last: -1} }

// issue takes the promise of the next hour and says whether it differs from the last.
func (s *standing) issue(promised int) bool {
	s.now++
	for len(s.best) > 0 && s.best[len(s.best)-1].promised <= promised {
		s.best = s.best[:len(s.best)-1]
	}
	s.best = append(s.best, bound{s.now, promised})
	if s.best[0].at <= s.now-s.horizon {
		s.best = s.best[1:]
	}
	changed := s.last >= 0 && s.last != promised
	s.last = promised
	return changed
}

func (s *standing) most() int { return s.best[0].promised }
