package promise

import "slices"

// followTheWork moves idle backing to islands where work of the same quota
// stands uncovered, unless that uncovers a sibling's work (hard case: following
// work). Idle backing of others changes places with it (trade.go). What one move makes
// free another may need: so until none is left.
func (al *aligner) followTheWork() {
	for moved := true; moved; {
		moved = false
		for k := range al.rows {
			for x := range al.rows[k].stands {
				if to := &al.rows[k].stands[x]; to.touched > to.backing {
					moved = al.follow(k, to) || al.trade(k, to.island) || moved
				}
			}
		}
	}
}

// follow moves idle backing of an account to where its work stands. What its first work lacks
// where it stands stays idle rather than move under later work (rule 3).
func (al *aligner) follow(k int, to *stand) bool {
	if !al.couldFollow(k, to) {
		return false
	}
	moved, spare := false, al.spareFor(k, to)
	for x := range al.rows[k].stands {
		from := &al.rows[k].stands[x]
		idle := from.backing - max(from.block, from.touched)
		t := al.treeOf(from)
		n := min(to.touched-to.backing, spare, al.islands[to.island].left(), idle, t.backing-t.touched)
		if from != to && n > 0 && !from.staysBefore(to) {
			al.add(k, to, n)
			al.add(k, from, -n)
			moved, spare = true, spare-n
		}
	}
	return moved
}

// couldFollow says whether an island has room for more backing, and the account has idle backing
// elsewhere: else its work need not be put in order.
func (al *aligner) couldFollow(k int, to *stand) bool {
	return al.islands[to.island].left() > 0 && slices.ContainsFunc(al.rows[k].stands, func(from stand) bool {
		return from.island != to.island && from.backing > max(from.block, from.touched)
	})
}

// spareFor is how much idle backing of an account may follow its work to an island.
func (al *aligner) spareFor(k int, to *stand) int {
	r := &al.rows[k]
	if al.findFirst(k); !to.later() {
		return r.target
	}
	idle := -r.firstWorkLacks()
	for x := range r.stands {
		idle += al.idle(&r.stands[x])
	}
	return idle
}
