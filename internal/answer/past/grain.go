package past

import (
	"slices"
	"sort"
)

// Grain is buckets of one length, in order of time: an hour, a day or a month each. They stand side by side without
// pointers. A book has a million of them, and the collector of garbage would follow a pointer to each.
type Grain struct {
	From []int64 // where each begins
	V    []int64 // their sums, those of a bucket side by side
}

func (g *Grain) len() int { return len(g.From) }

// last is where the youngest bucket begins.
func (g *Grain) last() int64 { return g.From[len(g.From)-1] }

// sums is the sums of a bucket, to read and to change, until the grain grows.
func (g *Grain) sums(i int) []int64 {
	width := len(g.V) / len(g.From)
	return g.V[i*width : (i+1)*width : (i+1)*width]
}

// grow adds a bucket at the end. It returns its sums, which are 0.
func (g *Grain) grow(from int64, width int) []int64 {
	g.From = append(g.From, from)
	g.V = append(g.V, make([]int64, width)...)
	return g.sums(len(g.From) - 1)
}

// drop lets go of the first buckets.
func (g *Grain) drop(n int) {
	width := len(g.V) / len(g.From)
	g.From, g.V = dropped(g.From, n), dropped(g.V, n*width)
}

// dropped is a list without its first values. The others move up in the same memory, since more will come;
// where most of it would stay empty they get memory of their own.
func dropped(list []int64, n int) []int64 {
	if rest := list[n:]; cap(list) > 2*len(rest) {
		return append([]int64(nil), rest...) // a clone of nothing would keep the memory
	}
	return slices.Delete(list, 0, n)
}

// within is the buckets that touch [from, to): from first up to last, which is not one of them.
func (g *Grain) within(from, to int64, next func(int64) int64) (first, last int) {
	first = sort.Search(len(g.From), func(i int) bool { return next(g.From[i]) > from })
	last = sort.Search(len(g.From), func(i int) bool { return g.From[i] >= to })
	return min(first, last), last
}
