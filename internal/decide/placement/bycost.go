package placement

import (
	"cmp"
	"slices"
)

// This file puts candidates in the order of their cost.

// byCost sorts candidates, the cheapest first. No two are equal. Most lists are put together of few that are in order.
func byCost(list []*candidateVictim) []*candidateVictim {
	runs := runsOf(list)
	if len(runs) > fewRuns {
		sortByCost(list)
		return list
	}
	for from, to := list, []*candidateVictim(nil); len(runs) > 1; from, to = to, from {
		if to == nil {
			to = make([]*candidateVictim, len(list))
		}
		runs = mergeRuns(from, to, runs)
		list = to
	}
	return list
}

// fewRuns is of how many parts that are in order a list is merged; one of more is sorted.
const fewRuns = 16

// runsOf lists where the parts of a list begin that are in order; no more are counted than tell that they are many.
func runsOf(list []*candidateVictim) []int {
	runs := make([]int, 1, fewRuns+1)
	for i := 1; i < len(list) && len(runs) <= fewRuns; i++ {
		if list[i-1].compareCost(list[i]) > 0 {
			runs = append(runs, i)
		}
	}
	return runs
}

// mergeRuns merges each two parts of a list into another list, and says where the parts of that begin.
func mergeRuns(from, to []*candidateVictim, runs []int) []int {
	merged := runs[:0]
	for len(runs) > 0 {
		start, second, end := runs[0], len(from), len(from)
		if len(runs) > 1 {
			second = runs[1]
		}
		if runs = runs[min(2, len(runs)):]; len(runs) > 0 {
			end = runs[0]
		}
		merged = append(merged, start)
		merge(to[start:start], from[start:second], from[second:end])
	}
	return merged
}

// merge appends what is in two lists, each in order.
func merge(to, a, b []*candidateVictim) {
	for len(a) > 0 && len(b) > 0 {
		if b[0].compareCost(a[0]) < 0 {
			to, b = append(to, b[0]), b[1:]
		} else {
			to, a = append(to, a[0]), a[1:]
		}
	}
	_ = append(append(to, a...), b...)
}

// sortByCost is byCost for a list that is in no order.
func sortByCost(list []*candidateVictim) {
	ranked := make([]rankedCandidate, len(list))
	for i, v := range list {
		ranked[i] = rankedCandidate{v.dearness(), v}
	}
	slices.SortFunc(ranked, func(a, b rankedCandidate) int {
		if a.dearness != b.dearness {
			return cmp.Compare(a.dearness, b.dearness)
		}
		return a.v.compareCost(b.v)
	})
	for i, r := range ranked {
		list[i] = r.v
	}
}

// rankedCandidate is a candidate and its dearness as one number, which spares most looks at the candidate.
type rankedCandidate struct {
	dearness uint64
	v        *candidateVictim
}

// How many bits each part of a dearness takes in one number. What does not fit in its bits is told apart by compareDearness.
const (
	namespaceBits = 32
	priorityBits  = 4
	rankBits      = 16
)

// dearness is as much of what compareDearness looks at as one number holds: of two candidates whose numbers differ, that with
// the lesser one comes first.
func (a *candidateVictim) dearness() uint64 {
	d := bit(!a.overran)<<5 | uint64(a.class)<<1 | bit(!a.ownPart)
	namespace, fits := descending(a.onFlex.namespace, namespaceBits)
	d = d<<namespaceBits | namespace
	if !fits {
		return d << (priorityBits + rankBits + 1)
	}
	priority, fits := descending(int(a.key.Priority), priorityBits)
	d = d<<priorityBits | priority
	if !fits {
		return d << (rankBits + 1)
	}
	rank, fits := descending(a.key.Rank, rankBits)
	d = d<<rankBits | rank
	if !fits {
		return d << 1
	}
	return d<<1 | bit(!a.key.Surplus)
}

// descending is a number in so many bits, the greatest first; false: it does not fit, and is the first or the last.
func descending(n, bits int) (uint64, bool) {
	last := 1<<bits - 1
	switch {
	case n >= last:
		return 0, false
	case n < 0:
		return uint64(last), false
	}
	return uint64(last - 1 - n), true
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}
