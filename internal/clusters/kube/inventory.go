package kube

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// setup is how long a new machine may take to be ready before it counts as one
// that is down. Counted from the start, it would lower what can be promised for a
// whole dwell.
const setup = 15 * time.Minute

// inventory lists the commands that make a state know the cluster, its partitions
// and its nodes.
func inventory(s *fleet.State, cluster string, mode fleet.Mode, nodes []translate.Node, now fleet.Instant) (commands []core.Command, problems []translate.Problem) {
	if s.Cluster(cluster) == nil {
		commands = append(commands, core.AddCluster{Name: cluster, Mode: mode})
	}
	islands := map[string]map[string][]translate.Node{} // new nodes, by GPU and island
	sizes := map[string]int{}
	for _, n := range nodes {
		sizes[n.GPU] = n.GPUs
		p := s.Partition(cluster + "/" + n.GPU)
		if p != nil && p.GPUsPerNode != n.GPUs {
			problems = append(problems, trouble(n, "it has %d GPUs, and nodes of %s have %d", n.GPUs, p.ID, p.GPUsPerNode))
			continue
		}
		if where, known := place(s, cluster, n.Name); known {
			if here := cluster + "/" + n.GPU + "/" + n.Island; where != here {
				problems = append(problems, trouble(n, "its labels say %s, and it is known in %s; nodes do not move", here, where))
			}
			continue
		}
		if state, _, _ := n.State(s.HealthPolicy().Rules, now); state != fleet.Healthy && now < n.Born.Add(setup) {
			problems = append(problems, trouble(n, "it is still being set up, and counts once it is ready, or after %s", setup))
			continue
		}
		if islands[n.GPU] == nil {
			islands[n.GPU] = map[string][]translate.Node{}
		}
		islands[n.GPU][n.Island] = append(islands[n.GPU][n.Island], n)
	}
	for _, gpu := range slices.Sorted(maps.Keys(islands)) {
		id := cluster + "/" + gpu
		if s.Partition(id) == nil {
			commands = append(commands, core.AddPartition{Cluster: cluster, GPU: gpu, GPUsPerNode: sizes[gpu]})
		}
		add := core.AddIslands{Partition: id}
		for _, island := range slices.Sorted(maps.Keys(islands[gpu])) {
			add.Islands = append(add.Islands, newIsland(island, islands[gpu][island]))
		}
		commands = append(commands, add)
	}
	return commands, problems
}

func trouble(n translate.Node, format string, args ...any) translate.Problem {
	return translate.Problem{Object: "node/" + n.Name, Text: fmt.Sprintf(format, args...)}
}

// place is where a node of the cluster is known, as partition/island.
func place(s *fleet.State, cluster, node string) (string, bool) {
	for _, p := range s.Partitions {
		if p.Cluster != cluster {
			continue
		}
		if at, ok := p.Node(node); ok {
			return p.ID + "/" + p.Islands[p.Nodes[at].Island].Name, true
		}
	}
	return "", false
}

// newIsland is an island with its nodes; racks are numbered in order of name.
func newIsland(name string, nodes []translate.Node) core.NewIsland {
	racks := map[string]int{}
	for _, n := range nodes {
		racks[n.Rack] = 0
	}
	for i, rack := range slices.Sorted(maps.Keys(racks)) {
		racks[rack] = i
	}
	island := core.NewIsland{Name: name, Racks: len(racks)}
	for _, n := range nodes {
		island.Names, island.On = append(island.Names, n.Name), append(island.On, racks[n.Rack])
	}
	return island
}
