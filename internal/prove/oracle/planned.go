package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// planned adds planned work on nodes, haircuts, holds for a namespace and buffers of a partition to four stories in
// ten. It draws from a sequence of its own, so the other stories stay as they were.
func (r *writer) planned(seed uint64) {
	p := &writer{Rand: rand.New(rand.NewPCG(seed, 18)), story: r.story, nodes: r.nodes}
	if !p.chance(40) {
		return
	}
	for n := range 1 + p.IntN(4) {
		p.plan(fmt.Sprintf("p%d", n))
	}
}

func (r *writer) plan(name string) {
	switch n := r.IntN(10); {
	case n < 3:
		r.maintenance(name)
	case n < 5:
		r.rollout(name)
	case n < 6:
		r.zone(name)
	case n < 8 && len(r.story.Quotas) > 0:
		r.haircut(name)
	case n < 9 && len(r.story.Quotas) > 0:
		q := pick(r, r.story.Quotas...)
		g := pick(r, q.Grants...)
		r.insert(r.moment(), "hold", "{quota: %s, partition: %s, gpus: %d, until: 30d, namespace: %s}", q.Path, g.Partition, r.story.Clusters[0].PerNode, pick(r, "m", "n"))
	default:
		scope := pick(r, r.story.Clusters...).Name + pick(r, "", "/g")
		r.insert(r.moment(), "policy", "{scope: %s, buffer: {kind: fixed, share: %s}}", scope, pick(r, "0", "0.2", "0.3"))
	}
}

// maintenance takes up to three nodes at a fixed moment, by people or by a notice of the provider, which no promise delays.
func (r *writer) maintenance(name string) {
	at, nodes := r.moment(), []string{}
	for range 1 + r.IntN(3) {
		if n := pick(r, r.nodes...); !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	starts := at + pick(r, 10*time.Minute, time.Hour, 5*time.Hour, 30*time.Hour)
	list := "[" + nodes[0]
	for _, n := range nodes[1:] {
		list += ", " + n
	}
	r.insert(at, pick(r, "notice", "notice", "maintenance"), "{name: %s, nodes: %s], starts: %s, lasts: %s, impact: %s}",
		name, list, text.Duration(starts), text.Duration(pick(r, 20*time.Minute, 2*time.Hour, 40*time.Hour)), pick(r, "restart", "replace", "freeze"))
	if r.chance(15) {
		r.insert(r.momentFrom(at), "notice", "{name: %s, state: cancelled}", name)
	}
}

// rollout brings an update to all nodes of a cluster; some of its visits fail.
func (r *writer) rollout(name string) {
	at := r.moment()
	r.insert(at, "update", "{name: %s, component: gpu-driver, version: \"%s\", gpu: g, impact: %s, lasts: %s}",
		name, name, pick(r, "restart", "restart", "none"), text.Duration(pick(r, 10*time.Minute, time.Hour)))
	if r.chance(20) {
		r.insert(at, "executor", "{update: %s, nodes: [%s], outcome: failed}", name, pick(r, r.nodes...))
	}
	r.insert(at, "rollout", "{name: %s, scope: %s, updates: [%s], canary: {nodes: 1, soak: 30m}, waves: [50%%, 100%%], perIsland: %d}",
		name, pick(r, r.story.Clusters...).Name, name, 1+r.IntN(2))
	if r.chance(20) {
		r.insert(r.momentFrom(at), "rollout", "{name: %s, state: %s}", name, pick(r, "paused", "abandoned"))
	}
}

func (r *writer) zone(name string) {
	at := r.moment()
	r.insert(at, "nfz", "{name: %s, scope: %s, from: %s, to: %s}", name, pick(r, r.story.Clusters...).Name,
		text.Duration(at+time.Minute), text.Duration(at+pick(r, time.Hour, 20*time.Hour)))
}

// haircut plans a cut, applies up to three of its waves, and may undo the last.
func (r *writer) haircut(name string) {
	at := r.moment()
	if r.chance(60) { // so that there is something to cut
		r.insert(at, "policy", "{buffer: {kind: fixed, share: %s}}", pick(r, "0.2", "0.3"))
	}
	r.insert(at, "haircut", "{name: %s, basis: %s}", name, pick(r, "cluster", "quota"))
	for range 1 + r.IntN(3) {
		r.insert(at, "haircut", "{name: %s, state: applied}", name)
	}
	if r.chance(40) {
		r.insert(r.momentFrom(at), "haircut", "{name: %s, state: undone}", name)
	}
}

// moment is that of one of the story's steps, momentFrom of one from another on.
func (r *writer) moment() time.Duration { return r.momentFrom(0) }

func (r *writer) momentFrom(at time.Duration) time.Duration {
	return max(at, r.story.Steps[r.IntN(len(r.story.Steps)-1)].At)
}

// insert puts a step behind all that happens by then, and before the end of the story.
func (r *writer) insert(at time.Duration, kind, format string, args ...any) {
	i := len(r.story.Steps) - 1
	for i > 0 && r.story.Steps[i-1].At > at {
		i--
	}
	r.story.Steps = slices.Insert(r.story.Steps, i, Step{At: at, Kind: kind, Text: fmt.Sprintf(format, args...)})
}
