package past

import (
	"cmp"
	"slices"
)

// Trial is a fixed buffer against the recorded past.
type Trial struct {
	Share  int // in thousandths
	Issued int
	Broken int
	Buffer float64 // the mean share that it keeps back
}

// promiseHours is how long a promise of what is promisable must hold, and how
// long promisable remembers that it was lower: 24 h both.
const promiseHours = 24

// Frontier tries fixed buffers on each partition of a scope: in every full hour of
// the window a promise is made for min(policy, the least that was healthy in the
// 24 h before), and it is broken if fewer are healthy at some moment of the 24 h
// after it. Promises whose 24 h are not over are not judged.
func (b *Book) Frontier(scope string, shares []int, w Window) []Trial {
	list := make([]Trial, len(shares))
	sums := make([]float64, len(shares))
	start := w.From - mod(w.From, hour)
	changes := b.healthChanges(scope, start, w.To)
	for _, id := range b.partitionsOf(scope) {
		healthy, installed := healthyHours(changes[id], start, max(0, int((w.To-start)/hour)))
		before, after := least(healthy, -promiseHours), least(healthy, promiseHours)
		for hour := 0; hour+promiseHours <= len(healthy); hour++ {
			if installed[hour] == 0 {
				continue
			}
			for i, share := range shares {
				promised := min(installed[hour]*(1000-share)/1000, before[hour])
				list[i].Issued++
				sums[i] += float64(installed[hour]-promised) / float64(installed[hour])
				if after[hour] < promised {
					list[i].Broken++
				}
			}
		}
	}
	for i := range list {
		list[i].Share = shares[i]
		if list[i].Issued > 0 {
			list[i].Buffer = sums[i] / float64(list[i].Issued)
		}
	}
	return list
}

func (b *Book) partitionsOf(scope string) (ids []string) {
	for _, id := range sortedKeys(b.Partitions) {
		if under(id, scope) {
			ids = append(ids, id)
		}
	}
	return ids
}

// change is so many healthy nodes more, or fewer, from a moment on.
type change struct {
	at    int64
	by    int
	added bool // nodes that came, not such that are healthy again
}

// healthyHours is the least number of healthy nodes within each hour from a moment
// on, and how many were installed when it began.
func healthyHours(changes []change, start int64, hours int) (healthy, installed []int) {
	healthy, installed = make([]int, hours), make([]int, hours)
	now, there, next := 0, 0, 0
	step := func() {
		now += changes[next].by
		if changes[next].added {
			there += changes[next].by
		}
		next++
	}
	for h := range healthy {
		begin := start + int64(h)*hour
		for next < len(changes) && changes[next].at <= begin {
			step()
		}
		low := now
		installed[h] = there
		for next < len(changes) && changes[next].at < begin+hour {
			step()
			low = min(low, now)
		}
		healthy[h] = max(0, low)
	}
	return healthy, installed
}

// healthChanges is, for each partition of a scope, when nodes came, failed and were
// healthy again, in order; what was before start counts as of start. Those that are
// out at the end stay out.
func (b *Book) healthChanges(scope string, start, until int64) map[string][]change {
	of := map[string][]change{}
	out := func(e Episode, to int64) {
		if to > start && under(e.Partition, scope) {
			of[e.Partition] = append(of[e.Partition], change{at: max(e.From, start), by: -1}, change{at: to, by: +1})
		}
	}
	for _, n := range b.Nodes { // they are sorted below: the order does not matter
		if under(n.Partition, scope) {
			of[n.Partition] = append(of[n.Partition], change{max(n.Added, start), +1, true})
		}
		if n.Open != nil {
			out(*n.Open, until+1)
		}
	}
	for _, e := range b.Episodes {
		out(e, e.To)
	}
	for _, list := range of {
		slices.SortFunc(list, func(x, y change) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(y.by, x.by)) })
	}
	return of
}

// least is, for each hour, the least of so many hours from it on, or, where hours
// is negative, up to it.
func least(list []int, hours int) []int {
	out := make([]int, len(list))
	for i := range list {
		from, to := i, min(len(list), i+hours)
		if hours < 0 {
			from, to = max(0, i+hours), i+1
		}
		out[i] = slices.Min(list[from:to])
	}
	return out
}
