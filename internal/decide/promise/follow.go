package promise

// followTheWork moves idle backing to islands where work of the same quota
// stands uncovered, unless that uncovers a sibling's work (hard case: following
// work). Idle backing of others gives way. What one move makes free another may
// need: so until none is left.
func (al *aligner) followTheWork() {
	for moved := true; moved; {
		moved = false
		for k := range al.rows {
			for x := range al.rows[k].stands {
				if to := &al.rows[k].stands[x]; to.touched > to.backing {
					moved = al.follow(k, to) || al.trade(k, to) || moved
				}
			}
		}
	}
}

// follow moves idle backing of an account to where its work stands.
func (al *aligner) follow(k int, to *stand) bool {
	moved := false
	for x := range al.rows[k].stands {
		from := &al.rows[k].stands[x]
		idle := from.backing - max(from.block, from.touched)
		t := al.treeOf(from)
		n := min(to.touched-to.backing, al.islands[to.island].left(), idle, t.backing-t.touched)
		if from != to && n > 0 {
			al.add(k, to, n)
			al.add(k, from, -n)
			moved = true
		}
	}
	return moved
}
