package view

import "github.com/muster-fleet/muster/internal/state/fleet"

// lend says, tree by tree, which usage above backed is covered by siblings'
// unscheduled backing. The rows of a partition come in order of path, and in
// that order borrowers take and lenders give.
func lend(rows []Quota) {
	spare := map[string]int{} // by tree
	for i := range rows {
		spare[fleet.TreeOf(rows[i].Quota)] += rows[i].Unscheduled
	}
	taken := map[string]int{}
	for i := range rows {
		q, tree := &rows[i], fleet.TreeOf(rows[i].Quota)
		above := q.Usage - q.Scheduled
		q.Borrowed = min(above, spare[tree]-taken[tree])
		q.Over = above - q.Borrowed
		taken[tree] += q.Borrowed
		q.countLast()
	}
	for i := range rows {
		q, tree := &rows[i], fleet.TreeOf(rows[i].Quota)
		q.Lent = min(q.Unscheduled, taken[tree])
		taken[tree] -= q.Lent
	}
}

// countLast counts what leaves last. What comes next in the quota's order is guaranteed from the
// moment that it leaves, and guaranteed work is never more than the backing (semantics §5). So what
// leaves borrows beyond the backing, as far as siblings cover it.
func (q *Quota) countLast() {
	beyond := max(0, q.Guaranteed-q.Backed)
	borrows := min(beyond, max(0, q.Borrowed-q.Borrowing))
	q.Guaranteed -= beyond
	q.Borrowing += borrows
	q.Unprotected += beyond - borrows
}
