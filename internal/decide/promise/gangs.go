package promise

// backGangs backs the gangs that run, and then those that grants declare,
// largest first; among equals the one that holds its island, then by path. One
// that is not let in stays where it is, or is loose.
func (al *aligner) backGangs() {
	al.onlyRunning()
	for at := 0; at < len(al.declared); {
		equals := al.equals(at)
		at += len(equals)
		for _, k := range equals {
			r := &al.rows[k]
			if r.home >= 0 {
				al.islands[r.home].homes -= r.declare
			}
			if r.home >= 0 && al.stays(k) {
				al.take(k, r.home)
			}
		}
		for _, k := range equals {
			if r := &al.rows[k]; r.letIn && !r.backed {
				if i := al.islandFor(k); i >= 0 {
					al.take(k, i)
				}
			}
		}
	}
}

// equals lists the declared gangs as large as one, beginning with that.
func (al *aligner) equals(at int) []int {
	to := at
	for to < len(al.declared) && al.rows[al.declared[to]].declare == al.rows[al.declared[at]].declare {
		to++
	}
	return al.declared[at:to]
}

// onlyRunning begins anew, with none of the declared gangs backed.
func (al *aligner) onlyRunning() {
	al.total = al.runs
	for i := range al.islands {
		is := &al.islands[i]
		is.taken, is.declared, is.homes, is.keeps = is.runs, 0, 0, 0
		for x := range is.trees {
			is.trees[x].keeps = 0
		}
	}
	for k := range al.rows {
		r := &al.rows[k]
		r.blocks, r.backed, r.gang = r.runs, false, Gang{}
		for x := range r.stands {
			s := &r.stands[x]
			s.block = s.runs
			al.treeOf(s).keeps += s.keeps()
		}
		if r.home >= 0 {
			al.islands[r.home].homes += r.declare
		}
	}
	for i := range al.islands {
		for x := range al.islands[i].trees {
			al.islands[i].keeps += al.islands[i].trees[x].needs()
		}
	}
}

// take backs an account's declared gang in an island.
func (al *aligner) take(k, i int) {
	s := al.stand(k, i)
	r, is, t := &al.rows[k], &al.islands[i], al.treeOf(s)
	more := max(0, r.declare-s.block)
	is.keeps -= t.needs()
	t.keeps -= s.keeps()
	s.block += more
	t.keeps += s.keeps()
	is.keeps += t.needs()
	r.blocks, is.taken, al.total = r.blocks+more, is.taken+more, al.total+more
	is.declared += r.declare
	r.backed, r.gang = true, Gang{Island: i}
}

// islandFor chooses the best of the islands that take an account's declared gang, or −1.
func (al *aligner) islandFor(k int) int {
	best, bestIs := -1, fitness{}
	al.eachChoice(k, func(i int) {
		if al.lackIn(k, i) > 0 {
			return
		}
		if is := al.fits(k, i); best < 0 || is.better(bestIs) {
			best, bestIs = i, is
		}
	})
	return best
}

// fitness is how well an island takes a declared gang. Better is an island where it costs
// less beside what is covered already and no other declared gang has to go (rule 4). Then
// comes one where the quota has backing (rule 4), then the least own share left (rule 6).
type fitness struct {
	costs  int  // nodes that must back the quota and its tree besides those that must anyhow
	drives bool // whether the gangs of others have to move
	moves  int  // nodes that do not back the quota there yet
	left   int  // of the own share
}

func (f fitness) better(g fitness) bool {
	switch {
	case f.drives != g.drives:
		return g.drives
	case f.costs != g.costs:
		return f.costs < g.costs
	case f.moves != g.moves:
		return f.moves < g.moves
	}
	return f.left < g.left
}

func (al *aligner) fits(k, i int) fitness {
	r, is, s := &al.rows[k], &al.islands[i], al.at(k, i)
	own, tree := al.growth(k, i)
	left := is.share - is.taken
	drives := left-is.homes < r.declare-s.block || is.keeps+tree+is.homes > is.whole
	return fitness{own + tree, drives, max(0, r.declare-s.present), left}
}

// stays says whether an account's declared gang may stay where it is: within
// the own share with other declared ones, and on whole nodes with those that
// run. What is promised in its island may have fallen: then whole gangs come
// before other running work (rule 3). But beside a larger gang that comes in
// anew it stays only where all running work keeps its cover.
func (al *aligner) stays(k int) bool {
	r := &al.rows[k]
	is, block := &al.islands[r.home], al.at(k, r.home).block
	more := max(0, r.declare-block)
	if _, needs := al.growth(k, r.home); al.asking && is.keeps+needs > is.whole {
		return false
	}
	return is.declared+r.declare <= is.share && is.taken+more <= is.whole &&
		al.total+more <= al.cap.Promisable && r.blocks+more <= r.grant
}

// eachChoice calls for every island that may back an account's declared gang:
// where its quota's own gangs run, if the grant cannot back both, else all.
func (al *aligner) eachChoice(k int, do func(i int)) {
	r := &al.rows[k]
	own := false
	for _, b := range r.running {
		if b.nodes+r.declare > r.grant {
			do(b.island)
			own = true
		}
	}
	for i := range al.islands {
		if own {
			return
		}
		do(i)
	}
}

// lackIn is how many nodes an island, the grant and the partition lack for an
// account's declared gang; what backs running work of others stays, so that a
// new gang waits rather than take it (rule 4). 0 or less: it fits.
func (al *aligner) lackIn(k, i int) int {
	r, is, s := &al.rows[k], &al.islands[i], al.at(k, i)
	more := max(0, r.declare-s.block)
	_, needs := al.growth(k, i)
	return max(
		more-(is.share-is.taken),
		is.keeps+needs-is.whole,
		more-(al.cap.Promisable-al.total),
		more-(r.grant-r.blocks),
	)
}

// growth is how many nodes more an account, and its tree, need in an island
// once the account's declared gang is backed there.
func (al *aligner) growth(k, i int) (own, tree int) {
	r, is, s := &al.rows[k], &al.islands[i], al.at(k, i)
	own = max(s.keeps(), r.declare) - s.keeps()
	for x := range is.trees {
		if t := is.trees[x]; t.tree == r.tree {
			return own, max(t.floor, t.keeps+own) - t.needs()
		}
	}
	return own, own
}
