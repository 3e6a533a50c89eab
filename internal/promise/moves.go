package promise

import "sort"

// keepWhatStands lets every account keep the islands it has, as far as its
// target and the islands' whole nodes go: what is under its running work before what is idle.
func (al *aligner) keepWhatStands() {
	for a := range al.p.Accounts {
		for i, n := range al.blocks[a] {
			al.add(a, i, n)
		}
	}
	for _, idle := range []bool{false, true} {
		for i := range al.p.Islands {
			al.keep(i, idle)
		}
	}
}

// keep lets accounts keep what backs them in an island; where there is not
// enough for all, one node at a time, the one that would keep most first.
func (al *aligner) keep(island int, idle bool) {
	var wants []block
	sum := 0
	for a, acc := range al.p.Accounts {
		keeps := acc.Backing[island]
		if !idle {
			keeps = min(keeps, acc.Touched(island))
		}
		if n := min(keeps-al.backing[a][island], al.missing(a)); n > 0 {
			wants = append(wants, block{account: a, nodes: n})
			sum += n
		}
	}
	left := al.healthyLeft(island)
	if sum <= left {
		for _, w := range wants {
			al.add(w.account, island, w.nodes)
		}
		return
	}
	for ; left > 0; left-- {
		most := 0
		for i, w := range wants {
			if w.nodes > wants[most].nodes {
				most = i
			}
		}
		wants[most].nodes--
		al.add(wants[most].account, island, 1)
	}
}

// add backs an account with n more nodes of an island.
func (al *aligner) add(a, island, n int) {
	al.backing[a][island] += n
	al.have[a] += n
	al.used[island] += n
}

func (al *aligner) missing(a int) int { return al.targets[a] - al.have[a] }

// healthyLeft is the number of whole healthy nodes of an island that back nobody.
func (al *aligner) healthyLeft(island int) int {
	return al.p.Islands[island].Whole() - al.used[island]
}

// shareLeft is the own share of an island that backs nobody.
func (al *aligner) shareLeft(island int) int {
	return al.healthyLeft(island) - al.p.Islands[island].Whole() + al.cap.Shares[island]
}

// addWhatIsMissing backs what is still missing: who misses most first, then by path.
func (al *aligner) addWhatIsMissing() {
	order := make([]int, 0, len(al.targets))
	for a := range al.targets {
		if al.missing(a) > 0 {
			order = append(order, a)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return al.missing(order[i]) > al.missing(order[j]) })
	for _, a := range order {
		al.coverOwnWork(a)
		al.bestFit(a, al.shareLeft)
		al.bestFit(a, al.healthyLeft)
	}
}

// coverOwnWork puts fresh backing first where the quota's own work stands uncovered.
func (al *aligner) coverOwnWork(a int) {
	for i := range al.p.Islands {
		uncovered := al.p.Accounts[a].Touched(i) - al.backing[a][i]
		if more := min(uncovered, al.missing(a), al.healthyLeft(i)); more > 0 {
			al.add(a, i, more)
		}
	}
}

// bestFit backs what an account misses in the island with the least left that
// takes it whole; what no island takes whole is spread over the fewest.
func (al *aligner) bestFit(a int, left func(island int) int) {
	for al.missing(a) > 0 {
		tight, wide := -1, -1
		for i := range al.p.Islands {
			l := left(i)
			if l >= al.missing(a) && (tight < 0 || l < left(tight)) {
				tight = i
			}
			if l > 0 && (wide < 0 || l > left(wide)) {
				wide = i
			}
		}
		switch {
		case tight >= 0:
			al.add(a, tight, al.missing(a))
		case wide >= 0:
			al.add(a, wide, left(wide))
		default:
			return
		}
	}
}

// followTheWork moves idle backing to islands where work of the same quota
// stands uncovered, unless that uncovers a sibling's work (hard case: following work).
func (al *aligner) followTheWork() {
	for a, acc := range al.p.Accounts {
		for to := range al.p.Islands {
			if acc.Touched(to) > al.backing[a][to] && al.healthyLeft(to) > 0 {
				al.follow(a, to)
			}
		}
	}
}

func (al *aligner) follow(a, to int) {
	acc := al.p.Accounts[a]
	for from := range al.p.Islands {
		n := min(acc.Touched(to)-al.backing[a][to], al.healthyLeft(to), al.idle(a, from))
		if from == to || n <= 0 {
			continue
		}
		if n = min(n, al.unborrowed(acc.Tree(), from)); n > 0 {
			al.add(a, to, n)
			al.add(a, from, -n)
		}
	}
}

// idle is the backing of an account in an island that neither its gangs nor its running work need.
func (al *aligner) idle(a, island int) int {
	return al.backing[a][island] - max(al.blocks[a][island], al.p.Accounts[a].Touched(island))
}

// unborrowed is the backing of a tree in an island that no work of the tree stands on.
func (al *aligner) unborrowed(tree string, island int) int {
	left := -al.p.TreeOf(tree).Touched(island)
	for a, acc := range al.p.Accounts {
		if acc.Tree() == tree {
			left += al.backing[a][island]
		}
	}
	return left
}
