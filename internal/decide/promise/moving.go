package promise

import "slices"

// This file moves idle backing on trial: what turns out to uncover work is undone.

// move is idle backing of an account on its way from one island to another.
type move struct {
	account, from, to int
	nodes             int
	gang              bool // the account's declared gang moves with it
}

// trading is the moves of one trade, and what trees had covered before them.
type trading struct {
	al    *aligner
	moves []move
	was   map[int][]int // by island and tree, of the islands concerned
}

func (al *aligner) newTrade() *trading { return &trading{al: al, was: map[int][]int{}} }

// do moves backing.
func (t *trading) do(m move) {
	t.al.stand(m.account, m.to)
	t.remember(m.from)
	t.remember(m.to)
	t.moves = append(t.moves, m)
	t.al.move(m)
}

// undo moves everything back.
func (t *trading) undo() {
	for _, m := range slices.Backward(t.moves) {
		m.from, m.to = m.to, m.from
		t.al.move(m)
	}
}

// move moves backing, and with it a declared gang.
func (al *aligner) move(m move) {
	al.add(m.account, al.stand(m.account, m.from), -m.nodes)
	al.add(m.account, al.stand(m.account, m.to), m.nodes)
	if m.gang {
		al.moveGang(m.account, m.from, m.to)
	}
}

// moveGang moves a declared gang from an island to one where no gang of its account stands.
func (al *aligner) moveGang(k, from, to int) {
	r := &al.rows[k]
	al.stand(k, from).block -= r.declare
	al.stand(k, to).block += r.declare
	al.islands[from].taken, al.islands[from].declared = al.islands[from].taken-r.declare, al.islands[from].declared-r.declare
	al.islands[to].taken, al.islands[to].declared = al.islands[to].taken+r.declare, al.islands[to].declared+r.declare
	r.gang.Island = to
}

// remember notes how much trees have covered in an island before the first move there.
func (t *trading) remember(island int) {
	if t.was[island] != nil {
		return
	}
	covered := make([]int, len(t.al.islands[island].trees))
	for x := range covered {
		covered[x] = t.al.islands[island].trees[x].covered()
	}
	t.was[island] = covered
}

// covered is how many nodes of a tree's running work its backing covers.
func (t *treeStand) covered() int { return min(t.touched, t.backing) }

// spare is how much of what backs a tree in an island may leave so that it covers there
// what it covered before the trade: an account that comes covers it for a sibling that goes.
func (t *trading) spare(k, island int) int {
	s := t.al.at(k, island)
	tree := t.al.treeOf(&s)
	return tree.backing - t.was[island][s.tree]
}

// uncovers says whether work of some tree has lost cover by the moves.
func (t *trading) uncovers() bool {
	for island, was := range t.was {
		for x, n := range was {
			if t.al.islands[island].trees[x].covered() < n {
				return true
			}
		}
	}
	return false
}

// overfills says whether gangs exceed the own share of an island that one was moved to.
func (t *trading) overfills() bool {
	return slices.ContainsFunc(t.moves, func(m move) bool {
		is := &t.al.islands[m.to]
		return m.gang && is.taken > is.share
	})
}
