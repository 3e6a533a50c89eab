package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What leaves along with a flex victim gives way first: the pools that joined its
// workload, and its surplus. Nobody goes whole where they alone would do, neither for
// room nor for a share: it would start again at once and take its namespace
// above its share, and two namespaces would evict each other in turn (decision
// record 0006).

// leavesWith lists what leaves with a flex victim, but for the victim itself.
func (pl *Planner) leavesWith(v *candidateVictim) []*candidateVictim {
	if v.class != ClassFlex || v.all.gpus == v.gpus {
		return nil
	}
	var list []*candidateVictim
	for _, u := range pl.units(v.w) {
		if u.pool != fleet.Base && (v.pool == fleet.Base || u.pool == v.pool && u.key.Surplus) {
			list = append(list, pl.candidate(u, v.class))
		}
	}
	return list
}

// shrunk is a set of victims where what leaves along with the i-th leaves instead of
// all of its workload.
func shrunk(set []*candidateVictim, i int, along []*candidateVictim) []*candidateVictim {
	out := slices.Clone(along)
	for _, v := range set {
		if v.w != set[i].w || set[i].pool != fleet.Base && v.pool != set[i].pool {
			out = append(out, v)
		}
	}
	return out
}

// shrinkingDoes says whether somebody of a set goes whole though the claim would find
// room with what leaves along gone alone.
func (pl *Planner) shrinkingDoes(c *claim, set []*candidateVictim) bool {
	for i, v := range set {
		if along := pl.leavesWith(v); len(along) > 0 {
			if _, ok := pl.fits(c, shrunk(set, i, along)); ok {
				return true
			}
		}
	}
	return false
}
