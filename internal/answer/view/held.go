package view

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Held is GPUs of one node that work of one target holds, or has reserved, in one way.
type Held struct {
	Holds  string `json:"holds"`  // guaranteed, borrowing, unprotected or flex
	Target string `json:"target"` // a quota, or flex
	GPUs   int    `json:"gpus"`
}

// heldOrder is the order in which what is held is named.
var heldOrder = map[string]int{
	fleet.HoldsGuaranteed.String(): 0, fleet.HoldsBorrowing.String(): 1, fleet.HoldsUnprotected.String(): 2, fleet.HoldsFlex.String(): 3,
}

// HeldOn says how the GPUs of a node are held: guaranteed before borrowing before
// unprotected before flex, then by target. What is reserved counts like what is held, for
// it has its holder: a GPU both held and reserved is named twice.
func HeldOn(p *fleet.Partition, node int) []Held {
	var list []Held
	residents := p.Nodes[node].Residents()
	for i, r := range residents {
		if slices.ContainsFunc(residents[:i], func(x fleet.Resident) bool { return x.Workload == r.Workload && x.Pool == r.Pool }) {
			continue // its replicas here are counted together
		}
		for _, replica := range r.Workload.Replicas[r.Pool] {
			if replica.Node == node {
				list = addHeld(list, Held{replica.HeldAs.String(), r.Workload.Target, r.GPUs()})
			}
		}
	}
	slices.SortFunc(list, func(a, b Held) int {
		return cmp.Or(cmp.Compare(heldOrder[a.Holds], heldOrder[b.Holds]), cmp.Compare(a.Target, b.Target))
	})
	return list
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
