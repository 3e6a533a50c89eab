package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// RandomTight is the random story of a seed in which pools ask for more than GPUs, and nodes become tight for some of
// them and have room again. What is added comes from a sequence of its own, so the rest of the story is Random's.
func RandomTight(seed uint64) *Story {
	s := Random(seed)
	r := &writer{Rand: rand.New(rand.NewPCG(seed, 19)), story: s, nodes: nodesOf(s)}
	s.Title = fmt.Sprintf("random story %d with tight nodes", seed)
	r.footprints()
	for range 2 + r.IntN(10) {
		r.tightness()
	}
	return s
}

func nodesOf(s *Story) (names []string) {
	for _, c := range s.Clusters {
		for _, i := range c.Islands {
			for n := range i.Nodes {
				names = append(names, fmt.Sprintf("%s-g-%s-%03d", c.Name, i.Name, n+1))
			}
		}
	}
	return names
}

// footprints are few, so that pools of several workloads share them.
var footprints = []string{"cpu 64", "memory 512Gi", "cpu 4"}

// footprints lets most pools ask for something.
func (r *writer) footprints() {
	for _, step := range r.story.Steps {
		if step.Submit == nil {
			continue
		}
		for i := range step.Submit.Pools {
			if r.chance(80) {
				step.Submit.Pools[i].Asks = pick(r, footprints[0], footprints[0], footprints[1], footprints[2])
			}
		}
	}
}

// tightness lets nodes become tight, and mostly have room again later; in between some become suspect for a moment, or
// the process starts again. Or what was started turns out not to fit.
func (r *writer) tightness() {
	if r.chance(25) {
		r.unfit()
		return
	}
	at, asks := r.moment(), pick(r, footprints[0], footprints[0], footprints[1], footprints[2])
	nodes := r.some()
	partition := strings.SplitN(nodes[0], "-", 2)[0] + "/g"
	list := "[" + strings.Join(nodes, ", ") + "]"
	r.insert(at, "tight", "{partition: %s, asks: %s, nodes: %s, %s, why: has few cores}", partition, asks, list, r.takings())
	if r.chance(30) {
		r.insert(at, "node", "{name: %s, state: suspect}", nodes[0])
		r.insert(r.momentFrom(at), "node", "{name: %s, state: healthy}", nodes[0])
	}
	if r.chance(20) {
		r.insert(r.momentFrom(at), "restart", "true")
	}
	if r.chance(70) {
		r.insert(r.momentFrom(at), "tight", "{partition: %s, asks: %s, nodes: %s}", partition, asks, list)
	}
}

// takings are how many replicas nodes take: mostly none, since others are in the way or they are too small.
func (r *writer) takings() string {
	takes := pick(r, 0, 0, 0, 1, 2)
	says := fmt.Sprintf("takes: %d", takes)
	if r.chance(30) {
		says += fmt.Sprintf(", empty: %d", takes+r.IntN(2))
	}
	if takes > 0 && r.chance(40) {
		says += fmt.Sprintf(", more: %d", r.IntN(takes+1))
	}
	return says
}

// some are up to half of the nodes of a cluster, and seldom all of them.
func (r *writer) some() (names []string) {
	first := pick(r, r.nodes...)
	cluster, _, _ := strings.Cut(first, "-")
	same := slices.DeleteFunc(slices.Clone(r.nodes), func(n string) bool { return !strings.HasPrefix(n, cluster+"-") })
	n := 1 + r.IntN(max(1, len(same)/2))
	if r.chance(15) {
		n = len(same)
	}
	r.Shuffle(len(same), func(a, b int) { same[a], same[b] = same[b], same[a] })
	return same[:n]
}

// unfit lets what a workload started turn out not to fit, right after it was submitted or later.
func (r *writer) unfit() {
	var submits []Step
	for _, step := range r.story.Steps {
		if step.Submit != nil {
			submits = append(submits, step)
		}
	}
	if len(submits) == 0 {
		return
	}
	of := pick(r, submits...)
	at := of.At
	if r.chance(40) {
		at = r.momentFrom(at)
	}
	r.insert(at, "unfit", "{workload: %s, full: %d, more: %d, why: has few cores}", of.Submit.Name, 1+r.IntN(2), pick(r, 0, 0, 1))
}
