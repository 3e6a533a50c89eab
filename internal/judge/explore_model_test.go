package judge_test

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/fleet"
)

// A model is a small world of which every history is tried: nodes of 1 GPU in two
// islands, a tree of three quotas, and what may arrive.
type model struct {
	name    string
	islands [2]int
	grants  [3]int // of t/x, t/y and t/z, in nodes
	targets []int8 // indexes of quotas; flexTarget+n: flex of the n-th namespace
	sizes   []int8
	levels  []level
	joins   int8 // replicas of a second pool, one rank below; 0: none
	fails   bool // nodes fail, and come back
}

// level is how important an arrival is.
type level struct {
	priority fleet.Priority
	rank     int8
}

const flexTarget = 3

var (
	quotaPaths = []string{"t/x", "t/y", "t/z"}
	spaces     = []string{"ant", "bee", "cat"}
)

// letter is one event of a history. It is small: there are millions of histories.
type letter struct {
	kind   kind
	target int8 // of an arrival
	size   int8
	level  level
	at     int8 // of an end: the workload's place by age; of a failure or a return: the node
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
		target := "flex of " + spaces[max(0, l.target-flexTarget)]
		if l.target < flexTarget {
			target = quotaPaths[l.target]
		}
		return fmt.Sprintf("%d GPUs for %s arrive, %v rank %d", l.size, target, l.level.priority, l.level.rank)
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

// moment is a little world at one moment of a history.
type moment struct {
	model
	s   *fleet.State
	now fleet.Instant
}

const grace = 30 * time.Second

// born is the model's world before anything happens in it. Nothing there depends
// on how long something lasts: no buffer, no dwell, no minimum run time, and a
// checkpoint every second.
func (m model) born() moment {
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

// letters lists what may happen next. Namespaces are told apart by nothing, so
// each new one is the next; and so are nodes of an island on which the same stands.
func (at moment) letters() []letter {
	var list []letter
	used := at.usedSpaces()
	for _, target := range at.targets {
		if target >= flexTarget && int(target-flexTarget) > used {
			continue
		}
		for _, size := range at.sizes {
			for _, lv := range at.levels {
				list = append(list, letter{kind: arrives, target: target, size: size, level: lv})
			}
		}
	}
	for i, w := range at.open() {
		if w.State == fleet.RunningW {
			list = append(list, letter{kind: ends, at: int8(i)})
		}
	}
	if at.fails {
		list = append(list, at.nodeLetters()...)
	}
	return list
}

// usedSpaces is how many namespaces have flex work.
func (at moment) usedSpaces() int {
	used := map[string]bool{}
	for _, w := range at.open() {
		if w.Flexes() {
			used[w.Namespace] = true
		}
	}
	return len(used)
}

func (at moment) nodeLetters() []letter {
	var list []letter
	seen := map[string]bool{}
	order := ages(at.open())
	for i, n := range at.s.Partition(here).Nodes {
		what := nodeText(n, order)
		if seen[what] {
			continue
		}
		seen[what] = true
		if n.State == fleet.Healthy {
			list = append(list, letter{kind: fails, at: int8(i)})
		} else {
			list = append(list, letter{kind: returns, at: int8(i)})
		}
	}
	return list
}

// open lists the workloads that have not ended or still leave, by age.
func (at moment) open() []*fleet.Workload {
	var list []*fleet.Workload
	for _, w := range byID(at.s) {
		if !w.State.Ended() || w.GPUs() > 0 {
			list = append(list, w)
		}
	}
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
		for _, w := range at.open() {
			if leaving := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving }); len(leaving) > 0 {
				list = append(list, core.ReportStopped{ID: w.ID, Spots: leaving})
			}
		}
		return list
	}
}

func (at moment) arrival(l letter) core.Command {
	spec := fleet.Spec{
		Name: fmt.Sprint("w", at.s.NextID), Namespace: spaces[0], Target: fleet.Flex,
		Priority: l.level.priority, Grace: grace, CheckpointEvery: time.Second,
		Pools: []fleet.Pool{gang("p", l.level.rank, l.size)},
	}
	if at.joins > 0 {
		spec.Pools = append(spec.Pools, gang("q", l.level.rank+1, at.joins))
	}
	if l.target < flexTarget {
		spec.Target = quotaPaths[l.target]
	} else {
		spec.Namespace = spaces[l.target-flexTarget]
	}
	return core.Submit{Spec: spec}
}

func gang(name string, rank, replicas int8) fleet.Pool {
	n := int(replicas)
	p := fleet.Pool{Name: name, GPUs: 1, Min: n, Max: n, Rank: int(rank), Reach: fleet.ReachIsland}
	if replicas == 1 {
		p.Reach = fleet.ReachAny
	}
	return p
}
