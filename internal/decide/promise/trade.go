package promise

import "slices"

// This file lets idle backing of quotas change places, so that it follows running
// work where no other quota is hurt (end of semantics §3). Every trade covers at
// least one node more of some account's first work and uncovers none, so trading ends.

// trade moves idle backing of an account to an island where its first work stands
// uncovered, and idle backing of others from there to where there is room. As much
// as the work lacks rather than all of it, loose backing rather than the declared
// gang, and all that the work lacks rather than a part.
func (al *aligner) trade(k, to int) bool {
	if !al.othersIdle(k, to) {
		return false
	}
	al.findFirst(k)
	s := al.at(k, to)
	lacks := s.first - s.backing
	if lacks <= 0 {
		return false
	}
	for _, partly := range []bool{false, true} {
		for _, m := range al.comings(k, to, lacks) {
			if al.changePlaces(m, partly && !m.gang) {
				return true
			}
		}
	}
	return false
}

// othersIdle says whether backing of other accounts than k is idle in an island.
func (al *aligner) othersIdle(k, island int) bool {
	return slices.ContainsFunc(al.islands[island].accounts, func(other int) bool {
		s := al.at(other, island)
		return other != k && (al.idle(&s) > 0 || al.idleGang(other, island))
	})
}

// comings lists how idle backing of an account may come to an island where its work
// lacks so many nodes.
func (al *aligner) comings(k, to, lacks int) (list []move) {
	var all, gangs []move
	there := al.at(k, to)
	for x := range al.rows[k].stands {
		from := &al.rows[k].stands[x]
		idle := al.idle(from)
		m := move{account: k, from: from.island, to: to, nodes: min(lacks, idle)}
		switch {
		case from.island == to || from.staysBefore(&there):
			continue
		case al.idleGang(k, from.island):
			gangs = append(gangs, move{k, from.island, to, from.backing, true})
		}
		if idle > 0 {
			list = append(list, m)
		}
		if m.nodes < idle {
			m.nodes = idle
			all = append(all, m)
		}
	}
	return slices.Concat(list, all, gangs)
}

// idleGang says whether nothing of an account runs in the island that backs its
// declared gang: then it may move in one piece, with what is loose beside it.
func (al *aligner) idleGang(k, island int) bool {
	r, s := &al.rows[k], al.at(k, island)
	return r.backed && r.gang.Island == island && s.touched == 0 && s.runs == 0 && s.block == r.declare && s.backing > 0
}

// changePlaces lets backing of an account come to an island, and others give way for it;
// where they cannot for all of it, for a part if that is allowed. It says whether
// more of the account's work is covered so, and nothing less of anybody's.
func (al *aligner) changePlaces(m move, partly bool) bool {
	t := al.newTrade()
	t.do(m)
	for al.islands[m.to].left() < 0 && t.giveWay(m) {
	}
	if lack := -al.islands[m.to].left(); lack > 0 && partly && lack < m.nodes {
		t.do(move{account: m.account, from: m.to, to: m.from, nodes: lack})
	}
	if al.islands[m.to].left() >= 0 && !t.uncovers() && !t.overfills() {
		return true
	}
	t.undo()
	return false
}

// giveWay moves one idle piece of another account out of the way of a move: the smallest
// that is enough, else the largest; loose backing before declared gangs.
func (t *trading) giveWay(m move) bool {
	best, found := move{}, false
	lack := -t.al.islands[m.to].left()
	for _, other := range t.al.islands[m.to].accounts {
		if other == m.account {
			continue
		}
		for _, out := range t.goings(other, m, lack) {
			if !found || out.better(best, lack) {
				best, found = out, true
			}
		}
	}
	if found {
		t.do(best)
	}
	return found
}

// better says whether a piece gives way rather than another, where so many nodes lack.
func (m move) better(o move, lack int) bool {
	switch {
	case m.gang != o.gang:
		return o.gang
	case (m.nodes >= lack) != (o.nodes >= lack):
		return m.nodes >= lack
	case m.nodes >= lack:
		return m.nodes < o.nodes
	}
	return m.nodes > o.nodes
}

// goings lists how idle backing of an account may leave the island that another one's
// comes to: loose backing to where no piece is broken by it, its declared gang whole.
func (t *trading) goings(k int, m move, lack int) (list []move) {
	al := t.al
	s := al.at(k, m.to)
	spare := t.spare(k, m.to)
	if al.idleGang(k, m.to) {
		out := move{k, m.to, -1, s.backing, true}
		if out.to = al.roomFor(out, m.from); out.to >= 0 && out.nodes <= spare {
			list = append(list, out)
		}
	}
	for _, n := range []int{min(lack, al.idle(&s), spare), s.backing} {
		out := move{account: k, from: m.to, nodes: n}
		if n <= 0 || n > min(al.idle(&s), spare) {
			continue
		}
		if out.to = al.roomFor(out, m.from); out.to >= 0 {
			list = append(list, out)
		}
	}
	return list
}

// roomFor is the island that a piece of backing may move to: a given one rather than the
// one with the least room left; −1: there is none.
func (al *aligner) roomFor(m move, rather int) int {
	best, s := -1, al.at(m.account, m.from)
	for i := range al.islands {
		is, there := &al.islands[i], al.at(m.account, i)
		switch {
		case i == m.from || is.left() < m.nodes:
			continue
		case al.shrinks(m, &s, &there):
			continue
		case m.gang && (there.block > 0 || is.taken+al.rows[m.account].declare > is.share):
			continue
		}
		if best < 0 || i == rather || best != rather && is.left() < al.islands[best].left() {
			best = i
		}
	}
	return best
}

// shrinks says whether the largest piece of an account would be smaller after a part of it moved, or the largest idle piece.
func (al *aligner) shrinks(m move, from, to *stand) bool {
	if m.nodes >= from.backing || to.backing >= from.backing {
		return false
	}
	return to.backing+m.nodes < from.backing || al.idle(to)+m.nodes < al.idle(from)
}
