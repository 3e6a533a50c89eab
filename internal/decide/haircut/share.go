package haircut

import "sort"

// Apportion shares n among parts in proportion to their sizes, by largest
// remainder; ties go to the earlier part. The shares sum to min(n, Σ sizes), and
// no share exceeds its size. Sizes and n are not negative.
//
// Source: the method of Hamilton (1792); exact, since it compares remainders of
// whole numbers.
func Apportion(sizes []int, n int) []int {
	shares, total := make([]int, len(sizes)), 0
	for _, size := range sizes {
		total += size
	}
	n = min(n, total)
	if n == 0 {
		return shares
	}
	rest, order := n, make([]int, len(sizes))
	for i, size := range sizes {
		shares[i], order[i] = n*size/total, i
		rest -= shares[i]
	}
	sort.SliceStable(order, func(a, b int) bool { return n*sizes[order[a]]%total > n*sizes[order[b]]%total })
	for _, i := range order[:rest] {
		shares[i]++
	}
	return shares
}
