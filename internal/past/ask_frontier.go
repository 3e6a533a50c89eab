package past

import (
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

// healthyHours is the least number of healthy nodes within each hour of a window,
// and how many were installed.
func (b *Book) healthyHours(partition string, w Window) (healthy, installed []int) {
	start := w.From - mod(w.From, hour)
	hours := int((w.To - start) / hour)
	healthy, installed = make([]int, max(0, hours)), make([]int, max(0, hours))
	type change struct {
		at int64
		by int
	}
	var changes []change
	out := func(e Episode, until int64) {
		if e.Partition == partition && until > start {
			changes = append(changes, change{max(e.From, start), -1}, change{until, +1})
		}
	}
	there := 0
	for _, n := range b.Nodes { // they are sorted below: the order does not matter
		if n.Partition != partition {
			continue
		}
		if n.Added <= start {
			there++
		} else {
			changes = append(changes, change{n.Added, +1})
		}
		if n.Open != nil {
			out(*n.Open, w.To+1)
		}
	}
	for _, e := range b.Episodes {
		out(e, e.To)
	}
	slices.SortFunc(changes, func(x, y change) int {
		if x.at != y.at {
			return int(min(1, max(-1, x.at-y.at)))
		}
		return y.by - x.by
	})
	now, next := there, 0
	for h := range healthy {
		end, low := start+int64(h+1)*hour, now
		for ; next < len(changes) && changes[next].at < end; next++ {
			if changes[next].at <= start+int64(h)*hour {
				now += changes[next].by
				low = now
				continue
			}
			now += changes[next].by
			low = min(low, now)
		}
		healthy[h] = max(0, low)
	}
	b.installedHours(partition, start, installed)
	return healthy, installed
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
