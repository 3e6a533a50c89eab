package promise

// reunite moves idle loose backing that lies in several islands into one, as soon
// as that island has room for all of it (semantics §3.6). It takes room that backs
// no quota, so no other quota's piece is broken, and each move leaves one quota
// less in pieces: it ends.
func (al *aligner) reunite() {
	widest := al.widest()
	for moved := true; moved; {
		moved = false
		for k := range al.rows {
			if idle := al.idlePieces(k); idle > 0 {
				if i := al.islandForAll(k, idle, widest); i >= 0 {
					al.gather(k, i)
					widest, moved = al.widest(), true
				}
			}
		}
	}
}

// widest is the most whole nodes of one island that back no quota.
func (al *aligner) widest() int {
	most := 0
	for i := range al.islands {
		most = max(most, al.islands[i].left())
	}
	return most
}

// idle is what of a stand's backing neither a gang nor the quota's running work needs.
func (al *aligner) idle(s *stand) int { return max(0, s.backing-max(s.block, s.touched)) }

// idlePieces is an account's idle loose backing, where it lies in several islands
// and all of it can move; else 0.
func (al *aligner) idlePieces(k int) int {
	r := &al.rows[k]
	if len(r.stands) < 2 {
		return 0
	}
	pieces, sum := 0, 0
	for x := range r.stands {
		if n := al.idle(&r.stands[x]); n > 0 {
			pieces, sum = pieces+1, sum+n
		}
	}
	if pieces < 2 {
		return 0
	}
	return sum
}

// islandForAll is the island that takes all idle pieces of an account, or −1: the
// one with most of them, then the tightest, then by name.
func (al *aligner) islandForAll(k, idle, widest int) int {
	best, bestHas, bestLeft := -1, 0, 0
	try := func(i, has int) {
		left := al.islands[i].left()
		if left+has < idle || !al.mayLeave(k, i) {
			return
		}
		if best < 0 || has > bestHas || has == bestHas && left < bestLeft {
			best, bestHas, bestLeft = i, has, left
		}
	}
	for x := range al.rows[k].stands {
		s := &al.rows[k].stands[x]
		try(s.island, al.idle(s))
	}
	if best >= 0 || widest < idle {
		return best
	}
	for i := range al.islands {
		try(i, 0)
	}
	return best
}

// mayLeave says whether the idle pieces of an account may leave all islands but
// one: none of them covers work of its tree.
func (al *aligner) mayLeave(k, but int) bool {
	r := &al.rows[k]
	for x := range r.stands {
		s := &r.stands[x]
		if n := al.idle(s); n > 0 && s.island != but {
			if t := al.treeOf(s); t.backing-t.touched < n {
				return false
			}
		}
	}
	return true
}

// gather moves an account's idle pieces into an island.
func (al *aligner) gather(k, to int) {
	al.stand(k, to)
	r := &al.rows[k]
	for x := range r.stands {
		s := &r.stands[x]
		if n := al.idle(s); n > 0 && s.island != to {
			al.add(k, s, -n)
			al.add(k, al.stand(k, to), n)
		}
	}
}
