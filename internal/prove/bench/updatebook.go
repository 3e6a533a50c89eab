package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// published is an update of the year.
type published struct {
	number, component int
	at, deadline      fleet.Instant
}

// updateBook knows what each node runs, by its own account: it is the same for every way.
type updateBook struct {
	updates []published
	runs    map[string][]int // by node: the number of the newest update of each component; -1: none
	done    map[string]map[int]fleet.Instant
	since   map[string]fleet.Instant // since when a node runs what it runs
	tried   map[string][]string      // nodes that are a combination's canaries
	visits  int
	fresh   int // visits that brought a node to a combination that was not proven
	// rejected counts how often a rollout paused because a canary failed.
	rejected int
}

func newUpdateBook(nodes []string) *updateBook {
	b := &updateBook{runs: map[string][]int{}, done: map[string]map[int]fleet.Instant{}, since: map[string]fleet.Instant{}, tried: map[string][]string{}}
	for _, n := range nodes {
		b.runs[n], b.done[n] = slices.Repeat([]int{-1}, len(components)), map[int]fleet.Instant{}
	}
	return b
}

// lacks lists what a node does not run yet, the newest of each component.
func (b *updateBook) lacks(node string) (list []published) {
	for c := range components {
		for i := len(b.updates) - 1; i >= 0; i-- {
			if u := b.updates[i]; u.component == c {
				if b.runs[node][c] < u.number {
					list = append(list, u)
				}
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b published) int { return cmp.Compare(a.number, b.number) })
	return list
}

// bring notes that a node runs updates from now on. The first two nodes of a combination are its canaries, and so is
// every node that is meant to be one.
func (b *updateBook) bring(node string, updates []published, canary bool, now fleet.Instant) {
	if len(updates) == 0 {
		return
	}
	for _, u := range updates {
		b.runs[node][u.component] = max(b.runs[node][u.component], u.number)
		for _, o := range b.updates { // an older version of the component is superseded
			if _, has := b.done[node][o.number]; o.component == u.component && o.number <= u.number && !has {
				b.done[node][o.number] = now
			}
		}
	}
	b.visits++
	if key := b.key(node); !b.proven(key, now) {
		if (canary || len(b.tried[key]) < 2) && !slices.Contains(b.tried[key], node) {
			b.tried[key] = append(b.tried[key], node)
		} else {
			b.fresh++
		}
	}
	b.since[node] = now
}

// key names the combination that a node runs.
func (b *updateBook) key(node string) string { return strings.Trim(fmt.Sprint(b.runs[node]), "[]") }

// proven says whether two nodes have run a combination for a day.
func (b *updateBook) proven(key string, now fleet.Instant) bool {
	n := 0
	for _, node := range b.tried[key] {
		if b.key(node) != key || now.Sub(b.since[node]) >= day { // one that went on has proven it, or was proven with what came
			n++
		}
	}
	return n >= 2
}

// sum is the part of the tally that follows from what nodes run.
func (b *updateBook) sum(end fleet.Instant) updateTally {
	t := updateTally{visits: b.visits, untested: b.fresh, rejected: b.rejected}
	pairs := 0
	for _, u := range b.updates {
		late := 0
		for node := range b.done {
			at, has := b.done[node][u.number]
			if !has {
				at = end
			}
			pairs++
			t.behind += at.Sub(u.at).Hours() / 24
			if u.deadline <= end && (!has || at > u.deadline) {
				late++
			}
		}
		t.late += late
		if late > 0 {
			t.lateUpdates++
		}
	}
	t.behind /= float64(max(1, pairs))
	return t
}
