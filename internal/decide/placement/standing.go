package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file lists the units that stand, by workload, account and namespace. Each list is
// kept with the version of what it was derived from, and derived anew when that changes.

// standing is an account's units in the quota's order.
type standing struct {
	at    uint64
	units []*unit
	sums  []int // of the GPUs of each and all before it
	aside bool  // they may have marks of setAside
}

func (s *standing) sum() {
	s.sums = s.sums[:0]
	gpus := 0
	for _, u := range s.units {
		gpus += u.counts()
		s.sums = append(s.sums, gpus)
	}
}

func (s *standing) add(units []unit) {
	for i := range units {
		s.units = append(s.units, &units[i])
	}
}

// flexUnitsOf lists the units of a namespace's flex work. The list is kept until
// that changes: read it, do not change it.
func (pl *Planner) flexUnitsOf(namespace string) []*unit {
	kept := pl.flexOf[namespace]
	if kept == nil {
		kept = &standing{}
		pl.flexOf[namespace] = kept
	}
	if at := pl.p.FlexVersionOf(namespace) + 1; kept.at != at {
		kept.units = kept.units[:0]
		for _, w := range pl.p.FlexWorkOf(namespace) {
			kept.add(pl.units(w))
		}
		kept.at = at
	}
	return kept.units
}

// accountUnits lists all units of an account in the quota's order. The list is
// kept until the account changes: read it, do not change it.
func (pl *Planner) accountUnits(a *fleet.Account) []*unit {
	kept := pl.accounts[a]
	if kept == nil {
		kept = &standing{}
		pl.accounts[a] = kept
	}
	if at := a.Version() + 1; kept.at != at {
		kept.units = kept.units[:0]
		for _, w := range a.Work() {
			kept.add(pl.units(w))
		}
		if inOrder := func(x, y *unit) int { return x.key.Compare(y.key) }; !slices.IsSortedFunc(kept.units, inOrder) {
			slices.SortStableFunc(kept.units, inOrder)
		}
		kept.sum()
		kept.aside = setAside(a, kept.units, kept.aside)
		kept.at = at
	}
	return kept.units
}

// keptUnits are the units of a workload, and what they were derived from.
type keptUnits struct {
	of            *fleet.Workload
	at            uint32
	priority      fleet.Priority
	overran, late bool
	units         []unit
}

// units lists what of a workload stands and stays, in the order of its keys. The
// list is kept with the workload until that changes: read it, do not change it
// (but see setAside).
func (pl *Planner) units(w *fleet.Workload) []unit {
	overran := w.Overran(pl.now)
	k, _ := w.Scratch.(*keptUnits)
	if k == nil {
		k = &keptUnits{}
		w.Scratch = k
	}
	if k.of != w || k.at != w.Restood() || k.priority != w.Priority || k.overran != overran || k.late != w.Late {
		*k = keptUnits{w, w.Restood(), w.Priority, overran, w.Late, pl.unitsBy(w, nil)}
	}
	return k.units
}

// unitsKeeping is unitsBy, with the kept list where there is no choice.
func (pl *Planner) unitsKeeping(w *fleet.Workload, keeps func(node int) bool) []unit {
	for i, p := range w.Pools {
		if differ(w.Replicas[i], p, keeps) {
			return pl.unitsBy(w, keeps)
		}
	}
	return pl.units(w)
}

// differ says whether a choice keeps some replicas of an elastic pool above its min rather than others.
func differ(replicas []fleet.Replica, p fleet.Pool, keeps func(node int) bool) bool {
	if !p.Elastic || len(replicas) <= p.Min {
		return false
	}
	first := keeps(replicas[0].Node)
	return slices.ContainsFunc(replicas[1:], func(r fleet.Replica) bool { return keeps(r.Node) != first })
}

// unitsBy is units where elastic pools keep, of replicas that are alike,
// those first on nodes that a choice keeps.
func (pl *Planner) unitsBy(w *fleet.Workload, keeps func(node int) bool) []unit {
	overran := w.Overran(pl.now)
	base := w.BaseRank()
	first := unit{w: w, pool: fleet.Base, key: keyOf(w, base, false, overran), overran: overran}
	list := []unit{first}
	for i, pool := range w.Pools {
		core := unit{w: w, pool: i, key: keyOf(w, pool.Rank, false, overran), overran: overran}
		if pool.Rank == base {
			core = list[0]
		}
		list = pl.collect(core, list, i, base, keeps)
	}
	if list[0].gpus == 0 {
		list = list[1:]
	}
	return list
}

// setAside marks the units that do not fit beside the holds of others: until they
// fit they borrow, and do not count for a unit that uses a hold. A hold takes nothing
// from what ran as guaranteed already when it was placed; neither does it when the backing falls or the
// grant is cut from what is guaranteed and has not been pushed since. It says
// whether there are marks now; had says whether there may have been before.
func setAside(a *fleet.Account, units []*unit, had bool) bool {
	if len(a.InsideHolds()) == 0 {
		for i := 0; had && i < len(units); i++ {
			units[i].over, units[i].aside, units[i].within = false, false, false
		}
		return false
	}
	e, newest := a.Earmarks(), fleet.Instant(0)
	for _, u := range units {
		u.within = e.Own(u.w) >= u.counts()
		u.over = !e.Take(u.w, u.counts())
		notPushed := u.w.Started != 0 && newest <= u.w.Started // what is over now fitted once: its room has become smaller
		u.aside = u.over && !(u.holds == fleet.HoldsGuaranteed && (notPushed || wasThere(a, u.w)))
		if !u.within {
			newest = max(newest, u.cameAt())
		}
	}
	return true
}

// cameAt is when a unit of the lowest-rank pools started; of others, and before it has
// started, that is not known, and counts as the latest.
func (u *unit) cameAt() fleet.Instant {
	if u.w.Started == 0 || u.pool != fleet.Base || u.key.Surplus {
		return fleet.Never
	}
	return u.w.Started
}

// wasThere says whether a workload ran before the last of the holds was placed
// that keep it out.
func wasThere(a *fleet.Account, w *fleet.Workload) bool {
	return w.Started != 0 && slices.ContainsFunc(a.InsideHolds(), func(h *fleet.Hold) bool { return !h.For(w) && w.Started <= h.Since })
}

// before is the units of an account, and how many of them come before a key.
func (pl *Planner) before(a *fleet.Account, key fleet.Key) ([]*unit, int) {
	units := pl.accountUnits(a)
	return units, sort.Search(len(units), func(i int) bool { return !units[i].key.Before(key) })
}

// earlier is the GPUs of the quota's work that comes before the claim in its order.
func (pl *Planner) earlier(c *claim) int {
	gpus := pl.earlierThan(c.account, c.w, c.key)
	if !c.mending {
		return gpus
	}
	for _, u := range pl.accountUnits(c.account) {
		switch {
		case c.mends(u):
			gpus -= u.gpus
		case u.w == c.w:
			gpus -= u.lost.gpus // the claim is for that
		}
	}
	return gpus
}

// earlierThan is the GPUs of an account's work that comes before a part of a
// workload with a key, the rest of that workload included.
func (pl *Planner) earlierThan(a *fleet.Account, w *fleet.Workload, key fleet.Key) (gpus int) {
	units, n := pl.before(a, key)
	if n > 0 {
		gpus = pl.accounts[a].sums[n-1]
	}
	if w.Account() != a {
		return gpus
	}
	for _, u := range units[n:] {
		if u.w == w {
			gpus += u.counts()
		}
	}
	return gpus
}

func (pl *Planner) eachEarlier(c *claim, fn func(*unit)) {
	units, n := pl.before(c.account, c.key)
	for _, u := range units[:n] {
		fn(c.beside(u))
	}
	if c.w.Account() != c.account {
		return
	}
	for _, u := range units[n:] {
		if u.w == c.w && !c.mends(u) {
			fn(c.beside(u))
		}
	}
}

// beside is a unit as it counts beside the claim: of a gang that the claim mends, what stands.
func (c *claim) beside(u *unit) *unit {
	if !c.mending || u.w != c.w || u.lost.gpus == 0 {
		return u
	}
	stands := *u
	stands.lost = lost{}
	return &stands
}

// standsWith is the GPUs of an account's work that stays, with what its gangs have lost and are mended with.
func (pl *Planner) standsWith(a *fleet.Account) int {
	gpus := a.Stays()
	for _, w := range pl.p.Broken() {
		if w.Account() != a {
			continue
		}
		for _, u := range pl.units(w) {
			gpus += u.lost.gpus
		}
	}
	return gpus
}

// guaranteedOf is the GPUs that work of an account holds as guaranteed and means to keep.
func (pl *Planner) guaranteedOf(a *fleet.Account) int {
	gpus := a.Stays()
	if a.Loose() == 0 {
		return gpus
	}
	units := pl.accountUnits(a)
	for i := range units {
		if units[i].holds != fleet.HoldsGuaranteed {
			gpus -= units[i].gpus
		}
	}
	return gpus
}
