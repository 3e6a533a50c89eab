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

// countLast counts what leaves last: beyond the backing of its quota it borrows, as far as
// siblings cover it, for what comes next in the quota's order is guaranteed from the moment that
// it leaves (semantics §5: guaranteed work is never more than the backing).
func (q *Quota) countLast() {
	beyond := max(0, q.Guaranteed-q.Backed)
	borrows := min(beyond, max(0, q.Borrowed-q.Borrowing))
	q.Guaranteed -= beyond
	q.Borrowing += borrows
	q.Unprotected += beyond - borrows
}
