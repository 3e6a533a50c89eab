package fleet

import (
	"cmp"
	"slices"
)

// This file knows when the backing may no longer be what it should be.

// alignment is what says that the backing of a partition is to be looked at.
type alignment struct {
	// unaligned: something that the backing depends on has changed since it was last decided.
	unaligned bool
	// straying: work that its quota's backing does not cover came, went or moved.
	straying bool
	// grantsMoved: a grant has changed since an alignment looked last, even one that
	// moved nothing. A cache, unlike Regranted: the log does not say who looked.
	grantsMoved bool
	ground      uint64  // grows with every change of what backs accounts, or of which nodes there are
	idled       []*Tree // whose work came to nodes or left them since an alignment looked last

	overs    int // islands of accounts that touch more nodes than back them
	short    int // accounts whose grant is not backed whole
	declared int // accounts that declare a gang
	gangless int // accounts whose declared gang is not backed
}

// Unalign says that the backing may no longer be what it should be.
func (p *Partition) Unalign() {
	p.state.lookAt(p)
	p.unalign()
}

// unalign is Unalign where planned work knows already what it is to look at.
func (p *Partition) unalign() {
	p.unaligned = true
	p.ground++
	p.roomier()
}

// Unaligned says whether the backing may no longer be what it should be, and Aligned that it is.
func (p *Partition) Unaligned() bool {
	return p.unaligned || p.straying && p.couldFollow() || p.couldReunite()
}

// Ground grows with every change of what backs accounts, or of which nodes there are and how they are.
func (p *Partition) Ground() uint64 { return p.ground }

// couldFollow says whether idle backing of some account could move to where
// its own work stands uncovered, so that nothing else is worth looking at.
func (p *Partition) couldFollow() bool {
	return slices.ContainsFunc(p.Accounts, func(a *Account) bool {
		return a.over > 0 && a.stuck != a.footing() && a.idles() && a.strays()
	})
}

// footing is all on which it hangs whether idle backing of an account may move to where its own work stands uncovered.
// That is the account, the islands in which it stands, what backs any account and which nodes there are. It is also the
// accounts whose idle backing could change places with it. It is no footing of another moment once one of these has changed.
type footing struct{ account, islands, ground, others uint64 }

func (a *Account) footing() footing {
	p := a.partition
	f := footing{account: a.Version() + 1, ground: p.ground}
	for _, i := range a.islands {
		f.islands += p.Islands[i].stirred
	}
	f.others = a.partners()
	return f
}

// partners stands for the accounts as they are whose backing is idle where work of this one stands uncovered: whether it may
// change places hangs on what they have elsewhere, too.
func (a *Account) partners() (hash uint64) {
	for _, i := range a.islands {
		if a.touched[i] <= a.Backing[i] {
			continue
		}
		for _, b := range a.partition.Islands[i].spare {
			if b != a && b.idleIn(i) > 0 {
				hash = (hash ^ b.serial<<40 ^ b.Version()) * fnvPrime
			}
		}
	}
	return hash
}

// lists keeps the list of accounts with more backing in the island than their work touches: few of hundreds have any, and
// who looks for idle backing asks no others.
func (i *Island) lists(a *Account, spares bool) {
	at, listed := slices.BinarySearchFunc(i.spare, a, func(x, y *Account) int { return cmp.Compare(x.Quota, y.Quota) })
	switch {
	case spares && !listed:
		i.spare = slices.Insert(i.spare, at, a)
	case !spares && listed:
		i.spare = slices.Delete(i.spare, at, at+1)
	}
}

// fnvPrime is the multiplier of the 64-bit hash of Fowler, Noll and Vo.
const fnvPrime = 1099511628211

// idles notes that work of a tree has come to a node or left it, so that another part of
// the backing is idle: what came may leave so little idle that one island has room for it.
func (p *Partition) idles(t *Tree) {
	if !t.idled {
		t.idled = true
		p.idled = append(p.idled, t)
	}
}

// couldReunite says whether idle backing of a tree whose work came or left lies in
// several islands, one of which has room for all of it.
func (p *Partition) couldReunite() bool {
	for _, t := range p.idled {
		if inPieces(t.accounts) {
			return true
		}
	}
	p.lookedAtIdle()
	return false
}

// lookedAtIdle forgets whose work came or left: what is idle of their backing was looked at.
func (p *Partition) lookedAtIdle() {
	for _, t := range p.idled {
		t.idled = false
	}
	p.idled = p.idled[:0]
}

// inPieces says whether idle backing of one of the accounts lies in several islands,
// one of which has room for all of it.
func inPieces(list []*Account) bool { return slices.ContainsFunc(list, (*Account).inPieces) }

func (a *Account) inPieces() bool {
	if len(a.islands) < 2 {
		return false
	}
	pieces, sum := 0, 0
	for _, i := range a.islands {
		if n := a.idleIn(i); n > 0 {
			pieces, sum = pieces+1, sum+n
		}
	}
	if pieces < 2 {
		return false
	}
	for i, island := range a.partition.Islands {
		if island.whole-island.backedNodes+a.idleIn(i) >= sum {
			return true
		}
	}
	return false
}

// idleIn is the nodes of an island that back the account and that neither its
// work nor its declared gang needs.
func (a *Account) idleIn(island int) int {
	needs := a.touched[island]
	if a.Gang > 0 && a.GangMissing == 0 && a.GangIsland == island {
		needs = max(needs, a.Gang/a.partition.GPUsPerNode)
	}
	return max(0, a.Backing[island]-needs)
}

// idles says whether more nodes back the account in some island than it touches.
func (a *Account) idles() bool {
	return slices.ContainsFunc(a.islands, func(i int) bool { return a.Backing[i] > a.touched[i] })
}

// strays says whether work stands uncovered in an island that has healthy nodes to
// back it: ones that back no quota, or idle ones of others, which may give way.
func (a *Account) strays() bool {
	return slices.ContainsFunc(a.islands, func(i int) bool {
		island := a.partition.Islands[i]
		return a.touched[i] > a.Backing[i] && (island.whole > island.backedNodes || a.othersIdle(i))
	})
}

// othersIdle says whether backing of other accounts is idle in an island.
func (a *Account) othersIdle(island int) bool {
	return slices.ContainsFunc(a.partition.Islands[island].spare, func(b *Account) bool { return b != a && b.idleIn(island) > 0 })
}

// Aligned says that the backing is what it should be, until something changes. Idle backing that did not move to where
// work of its account stands uncovered could not: it is not asked again while the account stands as it does.
func (p *Partition) Aligned() {
	p.unaligned, p.straying, p.grantsMoved = false, false, false
	p.lookedAtIdle()
	for _, a := range p.Accounts {
		if a.over > 0 {
			a.stuck = a.footing()
		}
	}
}

// Content says whether every grant is backed whole, none declares a gang,
// and all work stands where its quota's backing reaches, as when the backing was
// decided last. Then nodes that come and go change no backing that still stands.
func (p *Partition) Content() bool {
	return !p.grantsMoved && p.short == 0 && p.declared == 0 && p.overs == 0 && !inPieces(p.Accounts)
}
