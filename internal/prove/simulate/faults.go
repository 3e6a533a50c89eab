package simulate

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// servers is how many servers stand behind a fault trace: those it names, and
// others that never failed. It is the size of the fleet that InfiniteHBD's trace
// was taken from (SIGCOMM 2025).
const servers = 400

// change is the begin or the end of a fault on one of the fleet's nodes.
type change struct {
	after time.Duration // from the start of the simulation
	node  string
	ends  bool
	cause string
}

// changes maps the trace's servers onto nodes, shuffled by the seed, and lists what
// happens to the nodes in order of time. At one moment begins come before ends, so that a node which fails again as it returns does not return.
func changes(faults []trace.Fault, nodes []place, seed uint64) []change {
	node := assign(faults, nodes, seed)
	var all []change
	for _, f := range faults {
		if name, ok := node[f.Server]; ok {
			all = append(all, change{f.Start, name, false, f.Cause}, change{f.End, name, true, f.Cause})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(btoi(a.ends), btoi(b.ends)))
	})
	return all
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// assign gives each node a server, as far as there are servers, each at most once. Servers
// of one rack go to nodes that stand in one, as far as the racks are of one size.
func assign(faults []trace.Fault, nodes []place, seed uint64) map[string]string {
	named := map[string]bool{}
	for _, f := range faults {
		named[f.Server] = true
	}
	all := slices.Sorted(maps.Keys(named))
	for i := len(all); i < servers; i++ {
		all = append(all, "never failed "+strconv.Itoa(i))
	}
	rng := rand.New(rand.NewPCG(seed, servers))
	if racks := trace.Racks(faults, all); racks != nil {
		rng.Shuffle(len(racks), func(i, j int) { racks[i], racks[j] = racks[j], racks[i] })
		byRack := make([]string, 0, len(all))
		for _, i := range slices.Concat(racks...) {
			byRack = append(byRack, all[i])
		}
		all, nodes = byRack, slices.Clone(nodes)
		slices.SortStableFunc(nodes, place.compare)
	} else {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	of := map[string]string{}
	for i, n := range nodes[:min(len(nodes), len(all))] {
		of[all[i]] = n.node
	}
	return of
}

// place is where a node stands, by numbers.
type place struct {
	node                    string
	partition, island, rack int
}

func (p place) compare(o place) int {
	return cmp.Or(p.partition-o.partition, p.island-o.island, p.rack-o.rack)
}

// nodesOf lists all nodes, in order of partition and arrival.
func nodesOf(s *fleet.State) []place {
	var all []place
	for i, p := range s.Partitions {
		for _, n := range p.Nodes {
			all = append(all, place{n.Name, i, n.Island, n.Rack})
		}
	}
	return all
}
