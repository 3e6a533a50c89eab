package promise

import (
	"slices"
	"sort"
)

// place gives every account what it gets, in named islands: what stands stays
// as far as it can (rule 4), what is missing is added best fit (rule 6).
func (al *aligner) place() {
	al.clear()
	for i := range al.islands {
		al.keep(i, func(s *stand) int { return s.under })
	}
	for i := range al.islands {
		al.keepLent(i)
	}
	for i := range al.islands {
		al.replaceLent(i)
	}
	if al.largestPieces() {
		for i := range al.islands {
			al.keep(i, func(s *stand) int { return s.piece })
		}
	}
	for i := range al.islands {
		al.keep(i, func(s *stand) int { return s.present })
	}
	al.addWhatIsMissing()
}

// largestPieces says what each stand keeps of its idle backing where its account keeps the largest pieces whole. What
// a grant loses goes from the small ones, so that a transfer and its return leave no quota in pieces (rule 4).
// It says whether some account has to give up any.
func (al *aligner) largestPieces() bool {
	gives := false
	for k := range al.rows {
		r := &al.rows[k]
		left := r.missing()
		if r.keepsAll(left) {
			continue
		}
		gives = true
		for _, s := range r.bySize() {
			n := max(0, min(left, s.present-s.backing))
			s.piece, left = s.backing+n, left-n
		}
	}
	return gives
}

// keepsAll says whether all that backs an account idly stays, as it nearly always does, and notes that.
func (r *row) keepsAll(left int) bool {
	for x := range r.stands {
		s := &r.stands[x]
		s.piece = max(s.present, s.backing)
		left -= s.piece - s.backing
	}
	return left >= 0
}

// bySize lists where an account stands, the largest pieces of its backing first.
func (r *row) bySize() []*stand {
	list := make([]*stand, 0, len(r.stands))
	for x := range r.stands {
		list = append(list, &r.stands[x])
	}
	slices.SortStableFunc(list, func(a, b *stand) int { return b.present - a.present })
	return list
}

// clear begins anew with what gangs take.
func (al *aligner) clear() {
	for i := range al.islands {
		al.islands[i].used = 0
		for x := range al.islands[i].trees {
			al.islands[i].trees[x].backing = 0
		}
	}
	for k := range al.rows {
		al.rows[k].have = 0
		al.trim(k)
		for x := range al.rows[k].stands {
			s := &al.rows[k].stands[x]
			s.backing = 0
			al.add(k, s, s.block)
		}
	}
}

// wanted is how many nodes more an account would keep.
type wanted struct{ account, nodes int }

// keep lets accounts keep what backs them in an island; where there is not
// enough for all, one node at a time, the one that would keep most first.
func (al *aligner) keep(i int, keeps func(*stand) int) {
	var wants []wanted
	is, sum := &al.islands[i], 0
	for _, k := range is.accounts {
		s := al.stand(k, i)
		if n := min(keeps(s)-s.backing, al.rows[k].missing()); n > 0 {
			wants = append(wants, wanted{account: k, nodes: n})
			sum += n
		}
	}
	left := is.left()
	if sum <= left {
		for _, w := range wants {
			al.add(w.account, al.stand(w.account, i), w.nodes)
		}
		return
	}
	for ; left > 0; left-- {
		most := 0
		for x, w := range wants {
			if w.nodes > wants[most].nodes {
				most = x
			}
		}
		wants[most].nodes--
		al.add(wants[most].account, al.stand(wants[most].account, i), 1)
	}
}

// keepLent lets quotas keep idle backing that covers work of their tree, before other idle backing.
func (al *aligner) keepLent(i int) {
	is := &al.islands[i]
	for _, k := range is.accounts {
		s := al.stand(k, i)
		t := al.treeOf(s)
		if n := min(t.floor-t.backing, s.present-s.backing, al.rows[k].missing(), is.left()); n > 0 {
			al.add(k, s, n)
		}
	}
}

// replaceLent covers work of a tree by other quotas of it, where who lent the
// backing so far cannot lend all of it any longer. A quota lends nothing that its own
// first work lacks.
func (al *aligner) replaceLent(i int) {
	is := &al.islands[i]
	for x := range is.trees {
		for _, k := range al.trees[is.trees[x].tree].accounts {
			t := &is.trees[x]
			n := min(t.floor-t.backing, al.rows[k].missing(), is.left())
			if n > 0 {
				n = min(n, al.rows[k].missing()-al.ownWorkLacks(k, i))
			}
			if n > 0 {
				al.add(k, al.stand(k, i), n)
			}
		}
	}
}

// ownWorkLacks is how many nodes the first work of an account lacks in other islands, and could have there.
func (al *aligner) ownWorkLacks(k, island int) (nodes int) {
	r := &al.rows[k]
	if !r.uncovered() {
		return 0
	}
	al.findFirst(k)
	for x := range r.stands {
		if s := &r.stands[x]; s.island != island {
			nodes += max(0, min(s.first-s.backing, al.islands[s.island].left()))
		}
	}
	return nodes
}

// add backs an account with n more nodes of an island.
func (al *aligner) add(k int, s *stand, n int) {
	s.backing += n
	al.treeOf(s).backing += n
	al.rows[k].have += n
	al.islands[s.island].used += n
}

// left is the number of whole healthy nodes of an island that back no quota.
func (is *island) left() int { return is.whole - is.used }

// shareLeft is the own share of an island that backs no quota.
func (is *island) shareLeft() int { return is.share - is.used }

// addWhatIsMissing backs what is still missing: who misses most first, then by path.
func (al *aligner) addWhatIsMissing() {
	var order []int
	for k := range al.rows {
		if al.rows[k].missing() > 0 {
			order = append(order, k)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return al.rows[order[i]].missing() > al.rows[order[j]].missing() })
	for _, k := range order {
		if al.rows[k].uncovered() {
			al.findFirst(k)
			al.coverOwnWork(k, func(s *stand) int { return s.first })
			al.makeRoom(k)
		}
	}
	for _, k := range order {
		al.addTo(k)
	}
}

// addTo backs what an account misses: where its own work stands uncovered, then
// best fit. What its first work lacks goes nowhere under later work of its own
// (rule 3): it waits for room where the first work stands.
func (al *aligner) addTo(k int) {
	r, apart := &al.rows[k], map[int]bool(nil)
	lacks := min(r.firstWorkLacks(), r.missing())
	if lacks == 0 {
		al.coverOwnWork(k, func(s *stand) int { return s.touched })
	} else {
		apart = r.laterIslands()
	}
	al.bestFit(k, apart, 0, (*island).shareLeft)
	al.bestFit(k, apart, 0, (*island).left)
	if len(apart) > 0 && r.missing() > lacks {
		al.bestFit(k, nil, lacks, (*island).left)
	}
}

// laterIslands are the islands where only work after the account's first stands uncovered.
func (r *row) laterIslands() map[int]bool {
	later := map[int]bool{}
	for x := range r.stands {
		if s := &r.stands[x]; s.later() {
			later[s.island] = true
		}
	}
	return later
}

// coverOwnWork puts fresh backing first where the quota's own work stands uncovered.
func (al *aligner) coverOwnWork(k int, needs func(*stand) int) {
	r := &al.rows[k]
	for x := range r.stands {
		s := &r.stands[x]
		if more := min(needs(s)-s.backing, r.missing(), al.islands[s.island].left()); more > 0 {
			al.add(k, s, more)
		}
	}
}

// bestFit backs what an account misses, less so many nodes, in the island with
// the least left that takes it whole; what no island takes whole is spread over
// the fewest. Islands that are apart take nothing.
func (al *aligner) bestFit(k int, apart map[int]bool, but int, left func(*island) int) {
	r := &al.rows[k]
	for r.missing() > but {
		missing := r.missing() - but
		tight, wide := -1, -1
		tightLeft, wideLeft := 0, 0
		for i := range al.islands {
			if apart[i] {
				continue
			}
			l := left(&al.islands[i])
			if l >= missing && (tight < 0 || l < tightLeft) {
				tight, tightLeft = i, l
			}
			if l > wideLeft {
				wide, wideLeft = i, l
			}
		}
		switch {
		case tight >= 0:
			al.add(k, al.stand(k, tight), missing)
		case wide >= 0:
			al.add(k, al.stand(k, wide), wideLeft)
		default:
			return
		}
	}
}
