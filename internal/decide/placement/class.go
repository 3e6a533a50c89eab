package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// Classes are judged with the newcomer admitted (semantics §5): work of its own quota
// that comes after a guaranteed newcomer and no longer fits the backing would borrow, and
// gives way as that, whatever it holds now. This file finds out who (decision record 0006): by
// count, for whom only the nodes would leave without cover could start guaranteed
// elsewhere in the backing; and only where siblings leave it something to borrow.
// A newcomer that would borrow pushes no work out of its quota's backing (decision record 0023).

// quotaOrder is the order of a quota with a claim in it: its units are met one after the other.
type quotaOrder struct {
	pl    *Planner
	c     *claim
	a     *fleet.Account
	e     fleet.Earmarks
	in    bool // the claim has been counted
	asked bool // what can be borrowed is known
	pool  Part
	seen  int // surplus of that pool so far
}

// orderWith starts to count an account's units, in their order, with a claim admitted.
func (pl *Planner) orderWith(c *claim, a *fleet.Account) quotaOrder {
	o := quotaOrder{pl: pl, c: c, a: a}
	if a == c.account {
		o.e = a.Earmarks()
	}
	return o
}

// class says whether the claim may evict the next unit, and as what. Where nothing
// else goes, more are pushed into borrowing than beside other victims: see isNotPushed.
func (o *quotaOrder) class(u *unit) (Class, bool) {
	class, may := classFor(o.c, o.a, u)
	if o.a != o.c.account || !o.isPushed(u) {
		return class, may
	}
	if may && o.c.holds == fleet.HoldsGuaranteed && o.lendable() > 0 {
		return ClassBorrowing, true
	}
	return class, may
}

// lendable is what the claim's quota could borrow, found out once.
func (o *quotaOrder) lendable() int {
	if !o.asked {
		o.asked, o.c.lendable = true, o.pl.lendable(o.a)
	}
	return o.c.lendable
}

// isPushed counts a unit and says whether the claim turns it from guaranteed into borrowing.
func (o *quotaOrder) isPushed(u *unit) bool {
	if !o.in && o.c.key.Before(u.key) {
		o.in = true
		o.e.Take(o.c.w, o.c.gpus)
	}
	u = o.c.beside(u)
	short := o.e.Short(u.w, u.counts()*o.alike(u)) > 0
	o.e.Take(u.w, u.counts())
	return short && o.in && u.holds == fleet.HoldsGuaranteed && !usesForeignHold(o.c, o.a, u)
}

// alike is how many replicas stand that might as well be the one that is too many: a
// pool's surplus from this one on.
func (o *quotaOrder) alike(u *unit) int {
	if !u.key.Surplus {
		return 1
	}
	if at := u.part(); o.pool != at {
		o.pool, o.seen = at, 0
	}
	o.seen++
	return u.w.Stays(u.pool) - u.w.Pools[u.pool].Min - o.seen + 1
}

// isNotPushed says whether a victim of the claim's own quota that is guaranteed now
// does not turn into a borrower with the others gone: it stays guaranteed, or there
// is not as much to borrow.
func (pl *Planner) isNotPushed(c *claim, v *candidateVictim, victims []*candidateVictim) bool {
	short := pl.shortfall(c, v, victims)
	return short == 0 || short > c.lendable
}

// lendable is the GPUs of its siblings' backing that these do not use as guaranteed:
// what work of an account could borrow if no other work did.
func (pl *Planner) lendable(a *fleet.Account) int {
	gpus := 0
	for _, x := range a.Root().Accounts() {
		if x != a && x.BackedGPUs() > 0 {
			gpus += max(0, x.BackedGPUs()-pl.guaranteedOf(x))
		}
	}
	return gpus
}

// classFor says whether a claim may evict a unit of an account as what it is now. A
// younger unit of equal importance that is guaranteed may stay: what passed a
// waiting head is not taken back when the head could start sooner than thought.
func classFor(c *claim, a *fleet.Account, u *unit) (Class, bool) {
	guaranteed := c.holds == fleet.HoldsGuaranteed
	sibling := a.Tree() == c.account.Tree()
	own := a == c.account
	less := c.key.Importance().Above(u.key.Importance())
	switch {
	case own && u.key.Before(c.key) && !(guaranteed && u.aside), usesForeignHold(c, a, u):
		return 0, false
	case takesUncovered(c, own) && u.holds == fleet.HoldsUnprotected:
		return ClassUnprotected, true
	case guaranteed && sibling && u.holds == fleet.HoldsBorrowing:
		return ClassBorrowing, true
	case guaranteed && own && less:
		return ClassImportance, true
	case !guaranteed && sibling && less && u.holds == fleet.HoldsBorrowing:
		return ClassBorrowing, true
	case own && givesWay(c, u):
		return ClassImportance, true
	}
	return 0, false
}

// takesUncovered says whether a claim may evict unprotected work: a guaranteed one may, and a mend that of its own
// quota, which no backing covers beside the whole gang.
func takesUncovered(c *claim, own bool) bool {
	return c.holds == fleet.HoldsGuaranteed || c.mending && own
}

// givesWayAnyway says whether a unit of a claim's own quota gives way to it even where it
// is no borrower: less important work of a guaranteed claim's, and what givesWay.
func givesWayAnyway(c *claim, u *unit) bool {
	less := c.holds == fleet.HoldsGuaranteed && c.key.Importance().Above(u.key.Importance())
	return u.w.Account() == c.account && (less || givesWay(c, u))
}

// givesWay says whether a unit of the claim's own quota gives way to a claim of
// equal importance: surplus does, and work past its declared maximum to work that is not. Work that passed the
// claim because that could evict it gives way, too, though it may be guaranteed by now.
func givesWay(c *claim, u *unit) bool {
	if u.w.Passed == c.w.ID && c.key.Importance().Above(u.key.Importance()) {
		return true
	}
	overran := u.overran && c.holds == fleet.HoldsGuaranteed && c.key.Since != fleet.Never
	return (u.key.Surplus || overran) && !u.key.Importance().Above(c.key.Importance())
}
