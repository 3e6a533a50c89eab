package promise

// This file moves idle backing of others out of the way of running work. A quota's
// backing follows its work where no other work is hurt by it (semantics §5). Of two
// quotas that want an island, the idle one's backing moves (rule 4).

// makeRoom backs what an account's first work lacks in full islands: idle backing
// of others there moves to nodes that back no quota.
func (al *aligner) makeRoom(k int) {
	r := &al.rows[k]
	for x := 0; x < len(r.stands); x++ {
		for i := range al.islands {
			to := &r.stands[x]
			n := min(to.first-to.backing, r.missing(), al.islands[i].left())
			if to.island == i || n <= 0 || al.islands[to.island].left() > 0 {
				continue
			}
			moved := al.giveWay(k, to.island, i, n)
			al.add(k, &r.stands[x], moved)
		}
	}
}

// giveWay moves up to n nodes of idle backing of other accounts than k from an
// island to another, and says how many moved. No piece of theirs is broken by it.
func (al *aligner) giveWay(k, from, to, n int) int {
	moved := 0
	for _, other := range al.islands[from].accounts {
		if other == k {
			continue
		}
		if m := al.movable(other, from, to, min(n-moved, al.spare(k, other, from))); m > 0 {
			al.stand(other, to)
			al.add(other, al.stand(other, from), -m)
			al.add(other, al.stand(other, to), m)
			moved += m
		}
	}
	return moved
}

// spare is how much of what backs another account in an island covers no work of
// its tree; where that is the tree of account k, k's backing covers it from then on.
func (al *aligner) spare(k, other, island int) int {
	s := al.at(other, island)
	if al.rows[k].tree == al.rows[other].tree {
		return s.backing
	}
	t := al.treeOf(&s)
	return t.backing - t.touched
}

// movable is how many of up to n nodes that back an account in an island may move
// to another: idle ones, and only all that back it there, or into a piece that is
// no smaller.
func (al *aligner) movable(k, from, to, n int) int {
	s := al.at(k, from)
	n = min(n, al.idle(&s))
	if n < s.backing && al.at(k, to).backing < s.backing {
		return 0
	}
	return max(0, n)
}
