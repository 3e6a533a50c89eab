package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

func addCluster(s *fleet.State, c AddCluster) ([]event.Event, *Refusal) {
	if refusal := checkName("cluster", c.Name); refusal != nil {
		return nil, refusal
	}
	if s.Cluster(c.Name) != nil {
		return nil, refuse(NameTaken, "cluster %q exists already", c.Name)
	}
	return one(event.ClusterAdded{Cluster: c.Name, Mode: modeOf(c)})
}

// modeOf is the mode in which a cluster is added.
func modeOf(c AddCluster) fleet.Mode {
	if c.Mode == "" {
		return fleet.Enforce
	}
	return c.Mode
}

func addPartition(s *fleet.State, c AddPartition) ([]event.Event, *Refusal) {
	if refusal := checkName("GPU model", c.GPU); refusal != nil {
		return nil, refusal
	}
	if s.Cluster(c.Cluster) == nil {
		return nil, refuse(NoSuchCluster, "there is no cluster %q; add it first", c.Cluster)
	}
	if s.Partition(c.Cluster+"/"+c.GPU) != nil {
		return nil, refuse(NameTaken, "partition %s/%s exists already", c.Cluster, c.GPU)
	}
	if c.GPUsPerNode < 0 || c.GPUsPerNode > MaxGPUsPerNode {
		return nil, refuse(Invalid, "%s per node; a node has 1 to %d", text.Count(c.GPUsPerNode, "GPU"), MaxGPUsPerNode)
	}
	gpus := c.GPUsPerNode
	if gpus == 0 {
		gpus = 8
	}
	return one(event.PartitionAdded{Cluster: c.Cluster, GPU: c.GPU, GPUsPerNode: gpus})
}

// Bounds that keep a typing error from building an impossible fleet.
const (
	MaxGPUsPerNode     = 64
	MaxNodesPerCommand = 200_000
	MaxReplicas        = 100_000
	MaxPools           = 32
	MaxName            = 253
	MaxText            = 4096
)

func addIslands(s *fleet.State, c AddIslands) ([]event.Event, *Refusal) {
	p := s.Partition(c.Partition)
	if p == nil {
		return nil, NoPartition(s, c.Partition)
	}
	var events []event.Event
	taken, made := map[string]bool{}, map[string]bool{}
	for _, n := range c.Islands {
		if refusal := checkName("island", n.Name); refusal != nil {
			return nil, refusal
		}
		if made[n.Name] {
			return nil, refuse(NameTaken, "island %q is named twice", n.Name)
		}
		made[n.Name] = true
		names, racks, refusal := newNodes(s, p, n, taken)
		if refusal != nil {
			return nil, refusal
		}
		if _, exists := p.Island(n.Name); !exists {
			events = append(events, event.IslandAdded{Partition: p.ID, Island: n.Name, Racks: max(1, n.Racks)})
		}
		if len(names) > 0 {
			events = append(events, event.NodesAdded{Partition: p.ID, Island: n.Name, Names: names, Racks: racks})
		}
	}
	if len(events) > 0 && retiring(s, p.Cluster) {
		return nil, refuse(WrongState, "cluster %s is being retired, so no nodes are added to it; name a partition of another cluster", p.Cluster)
	}
	return events, nil
}

// newNodes names the nodes of an island to be and spreads them over its racks in equal blocks.
func newNodes(s *fleet.State, p *fleet.Partition, n NewIsland, taken map[string]bool) (names []string, racks []int, refusal *Refusal) {
	have, count := 0, 1
	if i, exists := p.Island(n.Name); exists {
		have, count = len(p.Islands[i].Nodes()), p.Islands[i].Racks
	} else if n.Racks > 1 {
		count = n.Racks
	}
	if n.Nodes < 0 || n.Nodes > MaxNodesPerCommand {
		return nil, nil, refuse(Invalid, "island %q: %s; 0 to %d can be added at once", n.Name, text.Count(n.Nodes, "node"), MaxNodesPerCommand)
	}
	names = n.Names
	for k := 1; len(names) < n.Nodes && len(n.Names) == 0; k++ {
		names = append(names, fmt.Sprintf("%s-%s-%s-%03d", p.Cluster, p.GPU, n.Name, have+k))
	}
	for k, name := range names {
		if refusal := checkName("node", name); refusal != nil {
			return nil, nil, refusal
		}
		if other, _ := findNode(s, name); other != nil && other != p {
			return nil, nil, refuse(NameTaken, "node %q is there already, in %s; every node of a fleet has a name of its own", name, other.ID)
		}
		if _, exists := p.Node(name); exists || taken[name] {
			return nil, nil, refuse(NameTaken, "node %q is there already; a node stands in one island", name)
		}
		taken[name] = true
		rack := k * count / len(names)
		if k < len(n.On) {
			rack = max(0, min(n.On[k], count-1))
		}
		racks = append(racks, rack)
	}
	if count == 1 {
		racks = nil
	}
	return names, racks, nil
}

func setPolicy(s *fleet.State, r Request, c SetPolicy) ([]event.Event, *Refusal) {
	if err := c.Policy.Check(); err != nil {
		return nil, refuse(Invalid, "%v", err)
	}
	if s.Policy == c.Policy {
		return nil, nil
	}
	if opens := loosens(s.Policy, c.Policy); opens != "" && !(r.Actor.Operator && r.Actor.Principal.Kind == "") { // Muster's own parts give none
		if refusal := r.reasoned("this policy %s: that is done with a reason; say why (--reason)", opens); refusal != nil {
			return nil, refusal
		}
	}
	return one(event.PolicySet(c))
}

// loosens says what another policy lets people do that takes a reason: all read all work, or one person does what took
// two. "": nothing.
func loosens(is, want fleet.Policy) string {
	names := want.TwoPeople.Names()
	fewer := slices.DeleteFunc(is.TwoPeople.Names(), func(name string) bool { return slices.Contains(names, name) })
	switch {
	case want.OpenReading && !is.OpenReading:
		return "shows all work to everybody who is known (openReading)"
	case is.SecondPerson && !want.SecondPerson:
		return "lets people review their own haircuts (secondPerson)"
	case len(fewer) > 0:
		return "lets one person do what takes two (twoPeople: " + strings.Join(fewer, ", ") + ")"
	}
	return ""
}

func setBuffer(s *fleet.State, c SetBuffer) ([]event.Event, *Refusal) {
	if c.Buffer == (fleet.Buffer{}) {
		return clearBuffer(s, c.Scope)
	}
	if err := c.Buffer.Check(); err != nil {
		return nil, refuse(Invalid, "%v", err)
	}
	if refusal := checkScope(s, c.Scope); refusal != nil {
		return nil, refusal
	}
	return one(event.BufferSet(c))
}

// clearBuffer takes the policy of a scope away; the next wider one holds there.
func clearBuffer(s *fleet.State, scope string) ([]event.Event, *Refusal) {
	if refusal := checkScope(s, scope); refusal != nil {
		return nil, refusal
	}
	if _, own := s.Buffers[scope]; !own {
		return nil, nil
	}
	return one(event.BufferCleared{Scope: scope})
}

func setTargets(s *fleet.State, c SetTargets) ([]event.Event, *Refusal) {
	is := s.Cluster(c.Cluster)
	if is == nil {
		return nil, NoCluster(s, c.Cluster)
	}
	if err := c.Targets.Check(); err != nil {
		return nil, refuse(Invalid, "cluster %s: %v", c.Cluster, err)
	}
	if is.Targets == c.Targets {
		return nil, nil
	}
	return one(event.TargetsSet(c))
}

// checkScope refuses a scope that names no cluster, partition or island.
func checkScope(s *fleet.State, scope string) *Refusal {
	if s.Cluster(scope) != nil || s.Partition(scope) != nil {
		return nil
	}
	cut := strings.LastIndex(scope, "/")
	if cut < 0 {
		return NoCluster(s, scope)
	}
	p := s.Partition(scope[:cut])
	if p == nil {
		return NoPartition(s, scope)
	}
	if _, ok := p.Island(scope[cut+1:]); !ok {
		return refuse(NoSuchIsland, "partition %s has no island %q; muster free %s --islands shows its islands", p.ID, clip(scope[cut+1:]), p.ID)
	}
	return nil
}

// NoCluster refuses the name of a cluster that there is not, and says which may be meant.
func NoCluster(s *fleet.State, name string) *Refusal {
	return noSuch(NoSuchCluster, "cluster", name, "muster capacity shows those there are", s.Clusters, func(c *fleet.Cluster) string { return c.Name })
}

func stopReports(s *fleet.State, c StopReports) ([]event.Event, *Refusal) {
	return setReporting(s, c.Cluster, false)
}

func resumeReports(s *fleet.State, c ResumeReports) ([]event.Event, *Refusal) {
	return setReporting(s, c.Cluster, true)
}

func setReporting(s *fleet.State, cluster string, fresh bool) ([]event.Event, *Refusal) {
	c := s.Cluster(cluster)
	switch {
	case c == nil:
		return nil, NoCluster(s, cluster)
	case c.Stale != fresh:
		return nil, nil
	case fresh:
		return one(event.ReportsResumed{Cluster: cluster})
	}
	return one(event.ReportsStopped{Cluster: cluster})
}

// modes are the modes in the order in which a cluster goes through them.
var modes = []fleet.Mode{fleet.Observe, fleet.Shadow, fleet.Enforce}

// setMode goes up one mode at a time, and down at once.
func setMode(s *fleet.State, c SetMode) ([]event.Event, *Refusal) {
	cluster := s.Cluster(c.Cluster)
	if cluster == nil {
		return nil, NoCluster(s, c.Cluster)
	}
	from, to := max(0, slices.Index(modes, cluster.Mode)), slices.Index(modes, c.Mode)
	switch {
	case to < 0:
		return nil, refuse(Invalid, "%q is no mode of a cluster; it is observe, shadow or enforce", clip(string(c.Mode)))
	case to == from:
		return nil, nil
	case to > from && retiring(s, c.Cluster):
		return nil, refuse(WrongState, "cluster %s is being retired, so nothing new starts there; it stays in mode %s", c.Cluster, cluster.Mode)
	case to > from+1:
		return nil, refuse(WrongState, "cluster %s is in mode %s; it goes to %s before %s", c.Cluster, cluster.Mode, modes[from+1], c.Mode)
	}
	events, _ := one(event.ClusterModeSet{Cluster: c.Cluster, Mode: c.Mode, Was: cluster.Mode})
	if c.Mode == fleet.Enforce && s.SeesWork(c.Cluster) && !cluster.Stale {
		// Some of what was seen there is not Muster's to start or to take away. Until the
		// cluster has said what is, nothing is decided: no work leaves for work that cannot start.
		events = append(events, event.ReportsStopped{Cluster: c.Cluster, Why: "it goes to mode enforce with work that was seen there"})
	}
	return events, nil
}
