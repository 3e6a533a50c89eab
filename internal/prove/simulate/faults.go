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

// changes maps the trace's servers onto nodes, shuffled by the seed, and lists
// what happens to the nodes in order of time; at one moment begins come before
// ends, so that a node which fails again as it returns does not return.
func changes(faults []trace.Fault, nodes []string, seed uint64) []change {
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

// assign gives each node a server, as far as there are servers, each at most once.
func assign(faults []trace.Fault, nodes []string, seed uint64) map[string]string {
	named := map[string]bool{}
	for _, f := range faults {
		named[f.Server] = true
	}
	all := slices.Sorted(maps.Keys(named))
	for i := len(all); i < servers; i++ {
		all = append(all, "never failed "+strconv.Itoa(i))
	}
	rng := rand.New(rand.NewPCG(seed, servers))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	of := map[string]string{}
	for i, name := range nodes[:min(len(nodes), len(all))] {
		of[all[i]] = name
	}
	return of
}

// nodesOf lists the names of all nodes, in order of partition and arrival.
func nodesOf(s *fleet.State) []string {
	var names []string
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			names = append(names, n.Name)
		}
	}
	return names
}
