package judge_test

import (
	"fmt"
	"math/rand"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A line of a script: so long after the line before, this happens.
type line struct {
	after  time.Duration
	do     core.Command
	finish string // instead of a command: the workload of this name ends by itself
}

func (l line) String() string {
	if l.finish != "" {
		return fmt.Sprintf("+%v %s finishes", l.after, l.finish)
	}
	switch c := l.do.(type) {
	case core.Submit:
		return fmt.Sprintf("+%v submit %s", l.after, specText(c.Spec))
	case core.Batch:
		var all []string
		for _, one := range c.Commands {
			all = append(all, line{do: one}.String())
		}
		return fmt.Sprintf("+%v together: %s", l.after, strings.Join(all, "; "))
	}
	return fmt.Sprintf("+%v %s%+v", l.after, strings.TrimPrefix(fmt.Sprintf("%T", l.do), "core."), l.do)
}

func specText(s fleet.Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s -> %s %v ckpt=%v grace=%v", s.Namespace, s.Name, s.Target, s.Priority, s.CheckpointEvery, s.Grace)
	for _, p := range s.Pools {
		kind := fmt.Sprintf("%d", p.Min)
		if p.Elastic {
			kind = fmt.Sprintf("%d..%d", p.Min, p.Max)
		}
		fmt.Fprintf(&b, " [%s×%dgpu rank%d %s%s]", kind, p.GPUs, p.Rank, p.Reach, asking(p))
	}
	return b.String()
}

func asking(p fleet.Pool) string {
	if p.Footprint == "" {
		return ""
	}
	return ", " + p.Footprint
}

// features are what random fleets may be made of. What is left out is left out
// for a reason, which is said where it is.
type features struct {
	elastic bool // elastic pools
	ranks   bool // several pools and ranks
	racks   bool // islands of two racks, and gangs that must stand in one
	parts   bool // replicas smaller than a node
	flex    bool // work on flex, of one namespace
	shares  bool // work on flex of three namespaces
	failing bool // nodes that fail, degrade and come back
	tight   bool // replicas ask for more than GPUs, and nodes are tight for some of them
	moves   bool // work that is retargeted while it runs or waits
	heads   bool // no part of fleets: who passes a head is judged
	turn    bool // nor this: of elastic pools on flex the last replicas are asked for
}

// author writes a random script, one line after another, with an eye on the
// fleet it is played in.
type author struct {
	*rand.Rand
	features
	s     *fleet.State
	per   int // GPUs of a node
	names int
	lines []line
}

func pick[T any](a *author, list ...T) T { return list[a.Intn(len(list))] }

func (a *author) chance(percent int) bool { return a.Intn(100) < percent }

func (a *author) write(c core.Command) { a.lines = append(a.lines, line{do: c}) }

const here = "t/g"

// begin writes a partition of 2 to 8 nodes in up to three islands, and up to four
// quotas in up to two trees.
func (a *author) begin() {
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = pick[fleet.Permille](a, 0, 0, 0, 250)
	policy.Dwell = pick(a, 0, time.Hour)
	policy.FlexMinimum = pick(a, 0, 10*time.Minute)
	a.write(core.SetPolicy{Policy: policy})
	a.write(core.AddCluster{Name: "t"})
	a.per = pick(a, 1, 2, 4, 8)
	a.write(core.AddPartition{Cluster: "t", GPU: "g", GPUsPerNode: a.per})
	nodes, islands := 2+a.Intn(7), 1+a.Intn(3)
	var list []core.NewIsland
	for i := range islands {
		n := 1 + a.Intn(max(1, nodes-(islands-i-1)))
		if i == islands-1 {
			n = max(1, nodes)
		}
		racks := 1
		if a.racks {
			racks = 1 + a.Intn(2)
		}
		list = append(list, core.NewIsland{Name: string(rune('i' + i)), Nodes: min(n, 8), Racks: racks})
		nodes -= n
	}
	a.write(core.AddIslands{Partition: here, Islands: list})
	a.quotas()
}

func (a *author) quotas() {
	paths := [][]string{{"a"}, {"a/x", "a/y"}, {"a", "a/x"}, {"a/x", "b"}, {"a/x", "a/y", "b"}, {"a/x", "a/y", "a/z"}, {"a", "a/x", "b/x", "b/y"}}
	for _, q := range pick(a, paths...) {
		a.write(core.CreateQuota{Path: q})
		grant := core.SetGrant{Quota: q, Partition: here, GPUs: a.Intn(5) * a.per, Overcommit: a.chance(60)}
		if a.chance(30) {
			grant.Gang = a.Intn(grant.GPUs + 1)
		}
		a.write(grant)
	}
}

// next writes a line of the fleet's life.
func (a *author) next() line {
	if len(a.lines) > 0 {
		l := a.lines[0]
		a.lines = a.lines[1:]
		return l
	}
	if a.tight && a.chance(20) {
		return line{do: a.fit()}
	}
	if a.moves && a.chance(15) {
		return line{after: pick(a, 0, time.Second, time.Minute), do: a.retarget()}
	}
	l := line{after: pick(a, 0, 0, time.Second, 7*time.Second, 31*time.Second, time.Minute, 5*time.Minute, 1000*time.Second)}
	roll := a.Intn(100)
	if a.open() > crowd {
		roll = 60 + a.Intn(20) // a workload ends
	}
	switch {
	case roll < 52:
		l.do = a.submit()
	case roll < 60:
		l.do = core.Batch{Commands: []core.Command{a.submit(), a.submit(), a.submit()}}
	case roll < 72:
		l.finish = a.some(fleet.RunningW)
	case roll < 80:
		l.do = core.Cancel{Namespace: a.space(a.some("")), Name: a.some("")}
	case roll < 84:
		l.do = core.Prioritise{Namespace: a.space(a.some("")), Name: a.some(""), Priority: pick(a, fleet.Critical, fleet.High, fleet.Mid)}
	case roll < 94 && a.failing:
		l.do = a.node()
	case roll < 97 && len(a.s.Quotas) > 0:
		l.do = core.SetGrant{Quota: pick(a, a.s.Quotas...).Path, Partition: here, GPUs: a.Intn(5) * a.per, Overcommit: true}
	default:
		l.do = core.Tick{}
	}
	if l.do == nil && l.finish == "" {
		l.do = core.Tick{}
	}
	return l
}

// crowd is how many workloads a fleet sees at a time: enough to fight over it.
const crowd = 10

func (a *author) open() int {
	n := 0
	for _, w := range a.s.Workloads {
		if !w.State.Ended() {
			n++
		}
	}
	return n
}

// some is the name of a workload that has not ended, in a state if one is given.
func (a *author) some(state fleet.WorkloadState) string {
	var names []string
	for id := uint64(1); id < a.s.NextID; id++ {
		w := a.s.Workloads[id]
		if w != nil && !w.State.Ended() && (state == "" || w.State == state) {
			names = append(names, w.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pick(a, names...)
}

// space is the namespace of a workload, whose name is unique here.
func (a *author) space(name string) string {
	for _, w := range a.s.Workloads {
		if w.Name == name {
			return w.Namespace
		}
	}
	return "nobody"
}

func (a *author) submit() core.Command {
	a.names++
	spec := fleet.Spec{
		Name: fmt.Sprint("w", a.names), Namespace: pick(a, "ant", "bee", "cat"), Target: a.target(),
		Priority: pick(a, fleet.Critical, fleet.High, fleet.Mid), Grace: pick(a, 0, 30*time.Second, 5*time.Minute),
		CheckpointEvery: pick(a, 0, 10*time.Second, 4*time.Minute),
	}
	if spec.Target == fleet.Flex && !a.shares {
		spec.Namespace = "ant"
	}
	pools := 1
	if a.ranks {
		pools = pick(a, 1, 1, 2, 3)
	}
	for i := range pools {
		spec.Pools = append(spec.Pools, a.pool(fmt.Sprint("p", i)))
	}
	return core.Submit{Spec: spec}
}

// retarget sends a workload elsewhere, most often one that runs.
func (a *author) retarget() core.Command {
	name := a.some(pick(a, fleet.RunningW, fleet.RunningW, ""))
	target := a.target()
	if !a.shares && a.space(name) != "ant" && len(a.s.Quotas) > 0 {
		target = pick(a, a.s.Quotas...).Path
	}
	return core.Retarget{Namespace: a.space(name), Name: name, Target: target}
}

func (a *author) target() string {
	if len(a.s.Quotas) == 0 || (a.flex || a.shares) && a.chance(30) {
		return fleet.Flex
	}
	return pick(a, a.s.Quotas...).Path
}

func (a *author) pool(name string) fleet.Pool {
	p := fleet.Pool{Name: name, GPUs: a.per, Reach: fleet.ReachAny, Min: pick(a, 1, 1, 1, 2, 2, 3, 4)}
	if a.parts && a.chance(50) {
		p.GPUs = 1 + a.Intn(a.per)
	}
	if a.ranks {
		p.Rank = pick(a, 0, 0, 1)
	}
	if a.tight && a.chance(70) {
		p.Footprint = pick(a, footprints...)
	}
	p.Max = p.Min
	if a.elastic && a.chance(30) {
		p.Elastic, p.Max = true, p.Min+a.Intn(4)
		return p
	}
	if p.Min > 1 {
		p.Reach = pick(a, fleet.ReachIsland, fleet.ReachIsland, fleet.ReachAny)
		if a.racks && a.chance(25) {
			p.Reach = fleet.ReachRack
		}
	}
	return p
}

var footprints = []string{"cpu 64", "cpu 64", "memory 512Gi"}

// fit reports that a node takes fewer replicas of a footprint, or as many as it has GPUs for again.
func (a *author) fit() core.Command {
	c := core.ReportFit{Partition: here, Footprint: pick(a, footprints...)}
	name := pick(a, a.s.Partition(here).Nodes...).Name
	if a.chance(35) {
		c.Loose = []string{name}
		return c
	}
	is := fleet.Takings{Takes: pick(a, 0, 0, 1, 2), Empty: 8}
	if is.Takes > 0 && a.chance(30) {
		is.Full, is.More = true, a.Intn(is.Takes+1)
	}
	c.Tight = []event.TightNode{{Node: name, Takings: is, Why: "has few cores"}}
	return c
}

func (a *author) node() core.Command {
	p := a.s.Partition(here)
	c := core.SetNodes{Names: []string{pick(a, p.Nodes...).Name}, State: fleet.Healthy}
	if a.chance(60) {
		c.State = pick(a, fleet.Suspect, fleet.Quarantined, fleet.Degraded, fleet.Probation)
	}
	if c.State == fleet.Degraded {
		if a.per == 1 {
			c.State = fleet.Quarantined
		} else {
			c.Dead = 1 + a.Intn(a.per-1)
		}
	}
	return c
}
