package fleetfile

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds that no real fleet meets and a typing error does.
const (
	mostNodes       = core.MaxNodesPerCommand // of one island
	mostGPUsPerNode = core.MaxGPUsPerNode
	mostFleetNodes  = 1_000_000
	mostRacks       = 100_000
	mostGPUs        = mostFleetNodes * mostGPUsPerNode
)

// DefaultGPUsPerNode is how many GPUs a node has where nothing is said.
const DefaultGPUsPerNode = 8

// readClusters reads clusters; a name is used once in its place, a node's once in the fleet.
func readClusters(v yamlfile.Value) []Cluster {
	clusters, nodes := newOnce("cluster"), newOnce("node")
	return yamlfile.Each(v, func(e yamlfile.Value) Cluster {
		c := readCluster(e, nodes)
		clusters.see(e, c.Name)
		return c
	})
}

func readCluster(v yamlfile.Value, nodes *once) Cluster {
	f := v.Fields("name", "targets", "buffer", "partitions")
	c := Cluster{Line: v.Line(), Name: f.Need("name").Name()}
	c.Targets, c.Buffer = maybe(f.At("targets"), readTargets), readBuffer(f.At("buffer"))
	models := newOnce("a partition of GPU model")
	c.Partitions = yamlfile.Each(f.Need("partitions"), func(e yamlfile.Value) Partition {
		p := readPartition(e, c.Name, nodes)
		models.see(e, p.GPU)
		return p
	})
	return c
}

// readTargets reads a cluster's own targets; {} is none.
func readTargets(v yamlfile.Value) (t fleet.Targets) {
	f := v.Fields("availability", "uptime", "mttr")
	set(&t.Availability, maybe(f.At("availability"), yamlfile.Value.Share))
	set(&t.Uptime, maybe(f.At("uptime"), yamlfile.Value.Share))
	set(&t.MTTR, maybe(f.At("mttr"), yamlfile.Value.Duration))
	return t
}

func readPartition(v yamlfile.Value, cluster string, nodes *once) Partition {
	f := v.Fields("gpu", "gpusPerNode", "buffer", "islands")
	p := Partition{
		Line:        v.Line(),
		GPU:         f.Need("gpu").Name(),
		GPUsPerNode: f.At("gpusPerNode").IntOr(DefaultGPUsPerNode, 1, mostGPUsPerNode),
	}
	p.Buffer = readBuffer(f.At("buffer"))
	islands := newOnce("island")
	p.Islands = yamlfile.Each(f.Need("islands"), func(e yamlfile.Value) Island {
		island := readIsland(e)
		islands.see(e, island.Name)
		nodes.seeAll(e, island, island.names(cluster, p.GPU))
		return island
	})
	return p
}

// ReadIslands reads a list of islands by themselves, each name once.
func ReadIslands(v yamlfile.Value) []Island {
	islands, nodes := newOnce("island"), newOnce("node")
	return yamlfile.Each(v, func(e yamlfile.Value) Island {
		island := readIsland(e)
		islands.see(e, island.Name)
		nodes.seeAll(e, island, island.Names)
		return island
	})
}

func readIsland(v yamlfile.Value) Island {
	f := v.Fields("name", "nodes", "names", "racks", "buffer")
	i := Island{Line: v.Line(), Name: f.Need("name").Name(), Racks: f.At("racks").IntOr(1, 1, mostRacks)}
	i.Buffer = readBuffer(f.At("buffer"))
	switch key, value := f.One("nodes", "names"); key {
	case "nodes":
		i.Nodes = value.Int(1, mostNodes)
	case "names":
		i.Names = value.Names()
		i.Nodes = len(i.Names)
		if value.IsList() && len(value.List()) == 0 {
			value.Fail("names is an empty list; an island has at least one node")
		}
	}
	return i
}

// NodeName is the name that the convention gives to the nth node of an island, from 1.
func NodeName(cluster, gpu, island string, n int) string {
	return fmt.Sprintf("%s-%s-%s-%03d", cluster, gpu, island, n)
}

// names lists the names of an island's nodes, none where part of a name is missing.
func (i Island) names(cluster, gpu string) []string {
	switch {
	case i.Names != nil:
		return i.Names
	case cluster == "" || gpu == "" || i.Name == "":
		return nil
	}
	names := make([]string, i.Nodes)
	for n := range names {
		names[n] = NodeName(cluster, gpu, i.Name, n+1)
	}
	return names
}

// once remembers where a name was first seen and refuses it the second time.
type once struct {
	what  string
	lines map[string]int
}

func newOnce(what string) *once { return &once{what, map[string]int{}} }

func (o *once) see(at yamlfile.Value, name string) {
	if name == "" {
		return
	}
	if line, twice := o.lines[name]; twice {
		at.Fail("%s %s is here twice, first in line %d; name each once", o.what, yamlfile.Quote(name), line)
		return
	}
	o.lines[name] = at.Line()
}

// seeAll refuses a node that is in two islands, and fleets beyond all measure.
func (o *once) seeAll(at yamlfile.Value, island Island, names []string) {
	if len(o.lines)+len(names) > mostFleetNodes {
		at.Fail("with island %s the fleet has more than %d nodes; check the counts", yamlfile.Quote(island.Name), mostFleetNodes)
		return
	}
	for _, name := range names {
		o.see(at, name)
	}
}
