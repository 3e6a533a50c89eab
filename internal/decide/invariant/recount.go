package invariant

import (
	"maps"
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

const ruleIndex = "an index equals its recount"

// Recount derives every index of a state from its nodes and workloads alone,
// and compares. Its cost is that of the whole state.
func Recount(s *fleet.State) []Broken {
	c := &checker{}
	c.workloads(s)
	c.targets(s)
	for _, p := range s.Partitions {
		c.partition = p.ID
		r := recountOf(s, p)
		c.nodes(r)
		c.islands(r)
		c.tally(r)
		c.accounts(r)
		c.trees(r)
		c.rooms(r)
		c.namespaces(r)
		c.queues(r)
		c.watched(r)
	}
	return c.found
}

// recount is a partition as its nodes and workloads say it is.
type recount struct {
	p     *fleet.Partition
	work  []*fleet.Workload // with replicas here, by ID
	waits []*fleet.Workload // that may wait here, by ID
	on    [][]seat          // replicas by node
	heard fleet.Instant     // up to when what time brings was heard
}

// seat is one replica on a node.
type seat struct {
	w     *fleet.Workload
	pool  int
	phase fleet.Phase
	holds fleet.HeldAs
}

func (t seat) gpus() int { return t.w.Pools[t.pool].GPUs }

func recountOf(s *fleet.State, p *fleet.Partition) *recount {
	r := &recount{p: p, on: make([][]seat, len(p.Nodes)), heard: s.Heard()}
	for _, w := range byID(s) {
		if w.Where == p.ID {
			r.work = append(r.work, w)
			r.sit(w)
		}
		if !w.State.Ended() {
			r.waits = append(r.waits, w)
		}
	}
	return r
}

func (r *recount) sit(w *fleet.Workload) {
	for i, replicas := range w.Replicas {
		for _, x := range replicas {
			r.on[x.Node] = append(r.on[x.Node], seat{w, i, x.Phase, x.HeldAs})
		}
	}
}

func byID(s *fleet.State) []*fleet.Workload {
	list := make([]*fleet.Workload, 0, len(s.Workloads))
	for _, w := range s.Workloads {
		list = append(list, w)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// workloads asks what holds of every workload wherever it is, running or not.
func (c *checker) workloads(s *fleet.State) {
	for id, w := range s.Workloads {
		if id != w.ID || id >= s.NextID {
			c.broken(ruleIndex, "%s is kept as %d, next is %d", called(w), id, s.NextID)
		}
		if (w.GPUs() > 0) != (w.Where != "") || (w.Where == "") != (w.At() == nil) || (w.At() != nil && w.At().ID != w.Where) {
			c.broken(ruleIndex, "%s holds %d GPUs and stands in %q", called(w), w.GPUs(), w.Where)
		}
		if !w.State.Ended() && s.Workload(w.Namespace, w.Name) != w {
			c.broken(ruleIndex, "%s is not found by its name", called(w))
		}
		if w.Where == "" {
			c.life(w)
		}
	}
}

// targets asks whether those that have not ended are listed, and those of each target found by it.
func (c *checker) targets(s *fleet.State) {
	of := map[string][]*fleet.Workload{}
	alive := slices.DeleteFunc(byID(s), func(w *fleet.Workload) bool { return w.State.Ended() })
	if !slices.Equal(alive, s.Alive()) {
		c.broken(ruleIndex, "%d workloads have not ended, and %d are listed", len(alive), len(s.Alive()))
	}
	for _, w := range alive {
		of[w.Target] = append(of[w.Target], w)
	}
	for _, target := range slices.Sorted(maps.Keys(of)) {
		found := slices.DeleteFunc(s.Targeting(target), func(w *fleet.Workload) bool { return w.Target != target })
		if !slices.Equal(found, of[target]) {
			c.broken(ruleIndex, "%d workloads target %s and are found, of %d", len(found), target, len(of[target]))
		}
	}
}

// takes is what replicas take of one node.
type takes struct{ held, staying, inHeld, inReserved, flexHeld, flexReserved int }

func takesOf(seats []seat) (t takes) {
	for _, x := range seats {
		flex, reserved := x.w.Flexes(), x.phase == fleet.Reserved
		switch {
		case flex && reserved:
			t.flexReserved += x.gpus()
		case flex:
			t.flexHeld += x.gpus()
		case reserved:
			t.inReserved += x.gpus()
		default:
			t.inHeld += x.gpus()
		}
		if !reserved {
			t.held += x.gpus()
		}
		if x.phase != fleet.Leaving {
			t.staying += x.gpus()
		}
	}
	return t
}

// owner is the quota whose in-quota work stays on a node, or "".
func owner(seats []seat) string {
	for _, x := range seats {
		if !x.w.Flexes() && x.phase != fleet.Leaving {
			return x.w.Target
		}
	}
	return ""
}

func (c *checker) nodes(r *recount) {
	for i, n := range r.p.Nodes {
		t := takesOf(r.on[i])
		c.equal(ruleIndex, "GPUs held on ", n.Name, n.InUse(), t.held)
		c.equal(ruleIndex, "GPUs staying on ", n.Name, n.Staying(), t.staying)
		c.equal(ruleIndex, "residents of ", n.Name, len(n.Residents()), len(r.on[i]))
		has := ""
		if a := n.Owner(); a != nil {
			has = a.Quota
		}
		if want := owner(r.on[i]); has != want {
			c.broken(ruleIndex, "%s belongs to %q, not to %q", n.Name, want, has)
		}
		if at, ok := r.p.Node(n.Name); !ok || at != i {
			c.broken(ruleIndex, "%s is not found by its name", n.Name)
		}
	}
}

func (c *checker) islands(r *recount) {
	nodes, whole := make([]int, len(r.p.Islands)), make([]int, len(r.p.Islands))
	trees := make([]map[string]int, len(r.p.Islands))
	for i, n := range r.p.Nodes {
		nodes[n.Island]++
		if n.State == fleet.Healthy && !n.Leaving {
			whole[n.Island]++
		}
		if quota := owner(r.on[i]); quota != "" {
			if trees[n.Island] == nil {
				trees[n.Island] = map[string]int{}
			}
			trees[n.Island][fleet.TreeOf(quota)]++
		}
	}
	for i, island := range r.p.Islands {
		c.equal(ruleIndex, "nodes of island ", island.Name, len(island.Nodes()), nodes[i])
		c.equal(ruleIndex, "whole nodes of island ", island.Name, island.Whole(), whole[i])
		for _, a := range r.p.Accounts {
			c.equal(ruleIndex, "nodes of island ", island.Name+" touched by tree "+a.Tree(), a.Root().Touched(i), trees[i][a.Tree()])
		}
		spare := slices.DeleteFunc(slices.Clone(r.p.Accounts), func(a *fleet.Account) bool { return a.Backing[i] <= a.Touched(i) })
		if !slices.Equal(island.Spare(), spare) {
			c.broken(ruleIndex, "the list of quotas with spare backing in island %s is not what it should be", island.Name)
		}
	}
}
