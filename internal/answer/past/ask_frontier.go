package past

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
)

// Trial is a buffer policy against the recorded past.
type Trial struct {
	Policy trial.Policy
	Issued int
	Broken int
	Buffer float64 // the mean share that it keeps back
}

// promiseHours is how long a promise of what is promisable must hold, and how
// long promisable remembers that it was lower: 24 h both.
const promiseHours = 24

// Frontier tries policies on each partition of a scope. In every full hour of the
// window a promise is made for min(what the policy allows, the nodes that are there
// without the most that were out at a moment of the 24 h before). It is broken if fewer
// are healthy at some moment of the 24 h after it. Promises whose 24 h are not over are not judged. A policy that learns
// begins to learn with the window.
func (b *Book) Frontier(scope string, policies []trial.Policy, w Window) []Trial {
	list := make([]Trial, len(policies))
	sums := make([]float64, len(policies))
	start := w.From - mod(w.From, hour)
	changes, ids := b.healthChanges(scope, start, w.To), b.partitionsOf(scope)
	pools := make([][]buffer.Hour, len(ids))
	for k, id := range ids {
		pools[k] = hoursOf(changes[id], start, max(0, int((w.To-start)/hour)))
	}
	rates := trial.Rates(pools)
	for k, id := range ids {
		healthy := leastHealthy(pools[k])
		out, after := mostOut(pools[k]), least(healthy)
		for i, policy := range policies {
			promised := trial.Promises(policy, pools[k], b.racks(id), rates, promiseHours)
			for hour := 0; hour+promiseHours <= len(healthy); hour++ {
				installed := pools[k][hour].Nodes
				if installed == 0 {
					continue
				}
				n := min(promised[hour], max(0, installed-out[hour]))
				list[i].Issued++
				sums[i] += float64(installed-n) / float64(installed)
				if after[hour] < n {
					list[i].Broken++
				}
			}
		}
	}
	for i := range list {
		list[i].Policy = policies[i]
		if list[i].Issued > 0 {
			list[i].Buffer = sums[i] / float64(list[i].Issued)
		}
	}
	return list
}

// racks is how many switches a partition has.
func (b *Book) racks(id string) (racks int) {
	if p := b.state.Partition(id); p != nil {
		for _, island := range p.Islands {
			racks += island.Racks
		}
	}
	return racks
}

func (b *Book) partitionsOf(scope string) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(b.Partitions)) {
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

// hoursOf is the hours from a moment on: nodes installed and down when each began, and
// the most that were down at one moment of it.
func hoursOf(changes []change, start int64, hours int) []buffer.Hour {
	out := make([]buffer.Hour, hours)
	now, there, next := 0, 0, 0
	step := func() {
		now += changes[next].by
		if changes[next].added {
			there += changes[next].by
		}
		next++
	}
	for h := range out {
		begin := start + int64(h)*hour
		for next < len(changes) && changes[next].at <= begin {
			step()
		}
		down, nodes := max(0, there-now), there
		out[h] = buffer.Hour{Nodes: nodes, Level: min(nodes, down), Peak: min(nodes, down)}
		for next < len(changes) && changes[next].at < begin+hour {
			step()
			out[h].Peak = min(nodes, max(out[h].Peak, there-now))
		}
	}
	return out
}

// leastHealthy is the least number of healthy nodes within each hour.
func leastHealthy(hours []buffer.Hour) []int {
	out := make([]int, len(hours))
	for i, h := range hours {
		out[i] = h.Nodes - h.Peak
	}
	return out
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

// least is, for each hour, the least of the day from it on.
func least(list []int) []int {
	out := make([]int, len(list))
	for i := range list {
		out[i] = slices.Min(list[i:min(len(list), i+promiseHours)])
	}
	return out
}

// mostOut is, for each hour, the most nodes that were out at a moment of the day up to
// it. The nodes that are there count, for what people add is promised at once.
func mostOut(hours []buffer.Hour) []int {
	out := make([]int, len(hours))
	for i := range hours {
		out[i] = hours[i].Level
		for _, h := range hours[max(0, i-promiseHours):i] {
			out[i] = max(out[i], h.Peak)
		}
	}
	return out
}
