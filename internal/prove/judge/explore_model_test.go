package judge_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A model is a small world of which every history is tried: nodes of 1 GPU in two
// islands, a tree of three quotas, and what may arrive.
type model struct {
	name    string
	islands [2]int
	grants  [3]int // of t/x, t/y and t/z, in nodes
	targets []int8 // indexes of quotas, or flexTarget
	sizes   []int8
	levels  int  // how many importances there may be at a time
	spaces  int  // and how many namespaces on flex
	joins   int8 // replicas of a second pool, one rank below; 0: none
	fails   bool // nodes fail, and come back
	plain   bool // nothing is left out for being alike; importances and namespaces are fixed
}

const flexTarget = 3

var quotaPaths = []string{"t/x", "t/y", "t/z"}

// letter is one event of a history. It is small: there are millions of them.
type letter struct {
	kind   kind
	target int8  // of an arrival
	size   int8  // of an arrival
	at     int8  // of an end: the workload's place by age; of a failure or a return: the node
	level  level // of an arrival
	space  space // of an arrival for flex
}

type kind int8

const (
	arrives kind = iota
	ends
	fails
	returns
	passes // the grace of all victims is over: no event of its own
)

func (l letter) String() string {
	switch l.kind {
	case arrives:
		target := "flex of " + l.space.String()
		if l.target < flexTarget {
			target = quotaPaths[l.target]
		}
		return fmt.Sprintf("%d GPUs for %s arrive, %v rank %d", l.size, target, l.level.priority(), l.level.rank())
	case ends:
		return fmt.Sprintf("the workload numbered %d ends", l.at)
	case fails:
		return fmt.Sprintf("node %d fails", l.at)
	case returns:
		return fmt.Sprintf("node %d is healthy again", l.at)
	default:
		return "the victims have left"
	}
}

// level is how important an arrival is, the most important first: those below
// 1,000 are ranks of priority high, the others of mid.
type level int16

const ranksOfOne = 1000

func (l level) priority() fleet.Priority {
	if l < ranksOfOne {
		return fleet.High
	}
	return fleet.Mid
}

func (l level) rank() int { return int(l % ranksOfOne) }

func levelOf(w *fleet.Workload) level {
	l := level(w.BaseRank())
	if w.Priority == fleet.Mid {
		l += ranksOfOne
	}
	return l
}

// fixedLevels are the importances of a plain model: two priorities, two ranks.
func fixedLevels(n int) []level {
	return map[int][]level{1: {1000}, 2: {0, 1000}, 4: {0, 10, 1000, 1010}}[n]
}

// space is a namespace by the place of its name among others.
type space int16

// inQuota is the namespace of in-quota work, of which nothing depends.
const inQuota space = 0

func (s space) String() string { return fmt.Sprintf("n%04d", int(s)) }

func spaceOf(w *fleet.Workload) space {
	var s int
	if _, err := fmt.Sscanf(w.Namespace, "n%d", &s); err != nil {
		panic(err)
	}
	return space(s)
}

// moment is a little world at one moment of a history.
type moment struct {
	*model
	s   *fleet.State
	now fleet.Instant
}

const grace = 30 * time.Second

// born is the model's world before anything happens in it. Nothing there depends
// on how long something lasts: no buffer, no dwell, no minimum run time, and a
// checkpoint every second.
func (m *model) born() moment {
	at := moment{m, fleet.NewState(), fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share, policy.Dwell, policy.FlexMinimum = 0, 0, 0
	commands := []core.Command{
		core.SetPolicy{Policy: policy},
		core.AddCluster{Name: "t"},
		core.AddPartition{Cluster: "t", GPU: "g", GPUsPerNode: 1},
		core.AddIslands{Partition: here, Islands: []core.NewIsland{{Name: "i", Nodes: m.islands[0]}, {Name: "j", Nodes: m.islands[1]}}},
	}
	for i, q := range quotaPaths {
		commands = append(commands, core.CreateQuota{Path: q},
			core.SetGrant{Quota: q, Partition: here, GPUs: m.grants[i], Overcommit: true})
	}
	for _, c := range commands {
		if _, refusal := core.Step(at.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, at.now); refusal != nil {
			panic(refusal)
		}
	}
	return at
}

func (at moment) clone() moment { return moment{at.model, at.s.Clone(), at.now} }

// letters lists what may happen next.
func (at moment) letters() []letter {
	var list []letter
	open := at.open()
	for _, target := range at.targets {
		flexes, named := target == flexTarget, []space{inQuota}
		if flexes {
			named = choices(spacesOpen(open), at.spaces)
		}
		levels := choices(levelsOpen(open, flexes), at.levels)
		if at.plain {
			levels, named = fixedLevels(at.levels), fixedSpaces(flexes)
		}
		for _, size := range at.sizes {
			for _, lv := range levels {
				for _, space := range named {
					list = append(list, letter{kind: arrives, target: target, size: size, level: lv, space: space})
				}
			}
		}
	}
	for i, w := range open {
		if w.State == fleet.RunningW {
			list = append(list, letter{kind: ends, at: int8(i)})
		}
	}
	if at.fails {
		list = append(list, at.nodeLetters()...)
	}
	return list
}

// levelsOpen lists the importances there are, in their order: of flex work, or of
// in-quota work, which are never compared with each other.
func levelsOpen(open []*fleet.Workload, flexes bool) []level {
	var list []level
	for _, w := range open {
		if w.Flexes() == flexes {
			list = append(list, levelOf(w))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func spacesOpen(open []*fleet.Workload) []space {
	var list []space
	for _, w := range open {
		if w.Flexes() {
			list = append(list, spaceOf(w))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// fixedSpaces are the namespaces of a plain model.
func fixedSpaces(flexes bool) []space {
	if flexes {
		return []space{500, 1000, 1500}
	}
	return []space{inQuota}
}

// choices are the importances, or the namespaces, that an arrival may have: those
// there are, and, as long as there are not too many, one before, between and after
// them. Only their order decides anything.
func choices[T level | space](present []T, most int) []T {
	if len(present) >= most {
		return present
	}
	list := make([]T, 0, 2*len(present)+1)
	before := T(0)
	for _, l := range present {
		list = append(list, (before+l)/2, l)
		before = l
	}
	return append(list, (before+2*ranksOfOne)/2)
}

// nodeLetters are the failures and returns of nodes.
func (at moment) nodeLetters() []letter {
	var list []letter
	for i, n := range at.s.Partition(here).Nodes {
		l := letter{kind: fails, at: int8(i)}
		if n.State != fleet.Healthy {
			l.kind = returns
		}
		list = append(list, l)
	}
	return list
}

// open lists the workloads that have not ended or still leave, by age.
func (at moment) open() []*fleet.Workload {
	list := make([]*fleet.Workload, 0, len(at.s.Workloads))
	for _, w := range at.s.Workloads {
		if !w.State.Ended() || w.GPUs() > 0 {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *fleet.Workload) int { return int(a.ID) - int(b.ID) })
	return list
}

// commands are what a letter asks of the engine.
func (at moment) commands(l letter) []core.Command {
	p := at.s.Partition(here)
	switch l.kind {
	case arrives:
		return []core.Command{at.arrival(l)}
	case ends:
		return []core.Command{core.ReportFinished{ID: at.open()[l.at].ID}}
	case fails:
		return []core.Command{core.SetNodes{Names: []string{p.Nodes[l.at].Name}, State: fleet.Quarantined}}
	case returns:
		return []core.Command{core.SetNodes{Names: []string{p.Nodes[l.at].Name}, State: fleet.Healthy}}
	default:
		var list []core.Command
		for _, w := range inOrder(at.open()) {
			if leaving := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving }); len(leaving) > 0 {
				list = append(list, core.ReportStopped{ID: w.ID, Spots: leaving})
			}
		}
		return list
	}
}

func (at moment) arrival(l letter) core.Command {
	spec := fleet.Spec{
		Name: fmt.Sprint("w", at.s.NextID), Namespace: l.space.String(), Target: fleet.Flex,
		Priority: l.level.priority(), Grace: grace, CheckpointEvery: time.Second,
		Pools: []fleet.Pool{gang("p", l.level.rank(), l.size)},
	}
	if at.joins > 0 {
		spec.Pools = append(spec.Pools, gang("q", l.level.rank()+1, at.joins))
	}
	if l.target < flexTarget {
		spec.Target = quotaPaths[l.target]
	}
	return core.Submit{Spec: spec}
}

func gang(name string, rank int, replicas int8) fleet.Pool {
	n := int(replicas)
	p := fleet.Pool{Name: name, GPUs: 1, Min: n, Max: n, Rank: rank, Reach: fleet.ReachIsland}
	if replicas == 1 {
		p.Reach = fleet.ReachAny
	}
	return p
}
