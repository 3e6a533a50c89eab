package view

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/fleet"
)

// Held is GPUs of one node that work of one target holds, or has reserved, in one way.
type Held struct {
	Holds  string `json:"holds"`  // guaranteed, borrowing, unprotected or flex
	Target string `json:"target"` // a quota, or flex
	GPUs   int    `json:"gpus"`
}

// HeldIn says how the GPUs of each node of a partition are held, in order of arrival;
// of one node guaranteed before borrowing before unprotected before flex, then by
// target. What is reserved counts like what is held, for it has its holder: a GPU both
// held and reserved is named twice.
func HeldIn(p *fleet.Partition) [][]Held {
	nodes, order := make([][]Held, len(p.Nodes)), make(map[string]int)
	for i, h := range []fleet.Holds{fleet.HoldsGuaranteed, fleet.HoldsBorrowing, fleet.HoldsUnprotected, fleet.HoldsFlex} {
		order[h.String()] = i
	}
	add := func(w *fleet.Workload) {
		for pool, replicas := range w.Held {
			for _, r := range replicas {
				nodes[r.Node] = addHeld(nodes[r.Node], Held{r.Holds.String(), w.Target, w.Pools[pool].GPUs})
			}
		}
	}
	for _, a := range p.Accounts {
		for _, w := range a.Work() {
			add(w)
		}
	}
	for _, w := range p.FlexWork() {
		add(w)
	}
	for _, list := range nodes {
		slices.SortFunc(list, func(a, b Held) int {
			return cmp.Or(cmp.Compare(order[a.Holds], order[b.Holds]), cmp.Compare(a.Target, b.Target))
		})
	}
	return nodes
}

func addHeld(list []Held, one Held) []Held {
	for i := range list {
		if list[i].Holds == one.Holds && list[i].Target == one.Target {
			list[i].GPUs += one.GPUs
			return list
		}
	}
	return append(list, one)
}
