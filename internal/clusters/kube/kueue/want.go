package kueue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Figures are the GPUs of one flavor in one queue.
type Figures struct {
	Assigned int // what people granted; Kueue never sees it
	Nominal  int // what backs that now
	Borrow   int // at most so many above Nominal, of what others leave unused
	Lend     int // at most so many of Nominal, while the queue leaves them unused
}

// Want is what Kueue should be told of a cluster.
type Want struct {
	Queues map[string]map[string]Figures // by quota and flavor
	Flex   map[string]Figures            // by flavor
	Served map[string]bool               // flavors that have a partition
	Said   []translate.Problem           // what Kueue's figures cannot express
}

// Flavor is a ResourceFlavor and the GPU model that its nodes have.
type Flavor struct{ Name, Model string }

// WantOf computes what Kueue should be told. Every partition counts in one flavor,
// and every flavor that has no partition is empty: so the nominal quotas of a
// flavor are together never more than its partitions can promise.
func WantOf(s *fleet.State, cluster string, flavors []Flavor) Want {
	w := Want{Queues: map[string]map[string]Figures{}, Flex: map[string]Figures{}, Served: map[string]bool{}}
	for _, f := range flavors {
		w.Flex[f.Name] = Figures{}
	}
	for _, p := range s.Partitions {
		if p.Cluster != cluster {
			continue
		}
		flavor, note := flavorOf(p, flavors)
		if note != "" {
			w.Said = append(w.Said, translate.Problem{Object: "partition/" + p.ID, Text: note})
		}
		if flavor != "" {
			w.add(p, flavor)
		}
	}
	return w
}

// add counts a partition in its flavor.
func (w *Want) add(p *fleet.Partition, flavor string) {
	backed := 0
	w.Served[flavor] = true
	for _, a := range p.Accounts {
		if w.Queues[a.Quota] == nil {
			w.Queues[a.Quota] = map[string]Figures{}
		}
		f := w.Queues[a.Quota][flavor]
		f.Assigned += a.Grant
		f.Nominal += a.BackedGPUs()
		f.Lend += a.BackedGPUs()
		f.Borrow += (a.Root().BackedNodes() - a.BackedNodes()) * p.GPUsPerNode
		w.Queues[a.Quota][flavor] = f
		backed += a.BackedGPUs()
		w.say(p, a)
	}
	flex := w.Flex[flavor]
	flex.Nominal += max(0, p.Tally().Usable-backed)
	flex.Borrow += backed
	w.Flex[flavor] = flex
}

// say names what a number of GPUs does not promise: that they are in one piece.
func (w *Want) say(p *fleet.Partition, a *fleet.Account) {
	var parts []string
	for i, nodes := range a.Backing {
		if nodes > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d GPUs)", p.Islands[i].Name, nodes*p.GPUsPerNode))
		}
	}
	object := translate.Problem{Object: "quota/" + a.Quota}
	switch {
	case a.Gang > 0 && a.GangMissing > 0:
		object.Text = fmt.Sprintf("its gang of %d GPUs fits in no island of %s: Kueue may admit one that kube-scheduler cannot place in one piece", a.Gang, p.ID)
	case len(parts) > 1:
		object.Text = fmt.Sprintf("its %d GPUs of %s stand in islands %s: Kueue counts GPUs, not islands, and may admit a gang that none of them holds", a.BackedGPUs(), p.ID, strings.Join(parts, ", "))
	case a.Gang > 0:
		object.Text = fmt.Sprintf("its gang of %d GPUs has island %s of %s: Kueue keeps the number free for it, not the island", a.Gang, p.Islands[a.GangIsland].Name, p.ID)
	default:
		return
	}
	w.Said = append(w.Said, object)
}

// flavorOf is the flavor that a partition's nodes are of: the one that names their
// model most closely, and of several the first by name.
func flavorOf(p *fleet.Partition, flavors []Flavor) (name, note string) {
	var fits []Flavor
	for _, f := range flavors {
		if p.GPU == f.Model || strings.HasPrefix(p.GPU, f.Model+"-") && f.Model != "" {
			fits = append(fits, f)
		}
	}
	if len(fits) == 0 {
		return "", "no ResourceFlavor names its GPU model by a node label, nor by its own name: Kueue has no quota there"
	}
	slices.SortFunc(fits, func(a, b Flavor) int {
		return cmp.Or(cmp.Compare(len(b.Model), len(a.Model)), strings.Compare(a.Name, b.Name))
	})
	if len(fits) > 1 && len(fits[1].Model) == len(fits[0].Model) {
		note = fmt.Sprintf("ResourceFlavors %s and %s are both of its GPU model: all of it is counted in the first", fits[0].Name, fits[1].Name)
	}
	return fits[0].Name, note
}
