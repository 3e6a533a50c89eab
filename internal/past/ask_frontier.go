package past

import (
	"cmp"
	"slices"
	"strings"
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
	for _, id := range b.partitionsOf(scope) {
		healthy, installed := b.healthyHours(id, w)
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
		if under(id, scope) || strings.HasPrefix(scope, id+"/") {
			ids = append(ids, id)
		}
	}
	return ids
}

// change is so many nodes more, or fewer, from a moment on.
type change struct {
	at int64
	by int
}

// healthyHours is the least number of healthy nodes within each hour of a window,
// and how many were installed.
func (b *Book) healthyHours(partition string, w Window) (healthy, installed []int) {
	start := w.From - mod(w.From, hour)
	hours := max(0, int((w.To-start)/hour))
	healthy, installed = make([]int, hours), make([]int, hours)
	now, changes := b.healthChanges(partition, start, w.To)
	next := 0
	for h := range healthy {
		begin := start + int64(h)*hour
		for ; next < len(changes) && changes[next].at <= begin; next++ {
			now += changes[next].by
		}
		low := now
		for ; next < len(changes) && changes[next].at < begin+hour; next++ {
			now += changes[next].by
			low = min(low, now)
		}
		healthy[h] = max(0, low)
	}
	b.installedHours(partition, start, installed)
	return healthy, installed
}

// healthChanges is how many nodes of a partition were there at a moment, and when
// from it on one came, failed or was healthy again. Until is the end: those that
// are out then stay out.
func (b *Book) healthChanges(partition string, start, until int64) (there int, list []change) {
	out := func(e Episode, to int64) {
		if e.Partition == partition && to > start {
			list = append(list, change{max(e.From, start), -1}, change{to, +1})
		}
	}
	for _, n := range b.Nodes { // they are sorted below: the order does not matter
		if n.Partition != partition {
			continue
		}
		if n.Added <= start {
			there++
		} else {
			list = append(list, change{n.Added, +1})
		}
		if n.Open != nil {
			out(*n.Open, until+1)
		}
	}
	for _, e := range b.Episodes {
		out(e, e.To)
	}
	slices.SortFunc(list, func(x, y change) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(y.by, x.by)) })
	return there, list
}

func (b *Book) installedHours(partition string, start int64, installed []int) {
	for _, n := range b.Nodes { // they are counted: the order does not matter
		if n.Partition != partition {
			continue
		}
		first := max(0, int((n.Added-start+hour-1)/hour))
		for h := first; h < len(installed); h++ {
			installed[h]++
		}
	}
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
