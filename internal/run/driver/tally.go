package driver

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Tally counts the replicas of one workload by pool and node. Replicas of one
// pool are alike, so spots and tallies say the same.
type Tally map[Slot]int

// Slot is a pool's place on a node, and the order to leave that its replicas there
// obey; 0: none, or none that is known.
type Slot struct {
	Pool, Node int
	Order      uint64
}

// Bare is the spots without their orders: those replicas before they were told to leave.
func Bare(spots []fleet.Spot) []fleet.Spot {
	bare := slices.Clone(spots)
	for i := range bare {
		bare[i].Order = 0
	}
	return bare
}

// TallyOf counts the replicas in spots.
func TallyOf(spots []fleet.Spot) Tally {
	t := Tally{}
	t.Add(spots)
	return t
}

// Add counts more replicas.
func (t Tally) Add(spots []fleet.Spot) {
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			t[Slot{spot.Pool, node, spot.Order}]++
		}
	}
}

// Take takes those of the replicas out that the tally has, and tells found and
// missing ones apart.
func (t Tally) Take(spots []fleet.Spot) (found, missing []fleet.Spot) {
	wanted, left := TallyOf(spots), Tally{}
	for at, n := range wanted {
		left[at] = max(0, n-t[at])
		if t[at] -= n - left[at]; t[at] == 0 {
			delete(t, at)
		}
	}
	return wanted.Beyond(left), left.Spots()
}

// Spots lists the replicas in order of pool, order and node.
func (t Tally) Spots() []fleet.Spot { return t.Beyond(nil) }

// Beyond lists the replicas that t has more of than o, in order of pool, order and node.
func (t Tally) Beyond(o Tally) []fleet.Spot {
	var slots []Slot
	for at, n := range t {
		for range n - o[at] {
			slots = append(slots, at)
		}
	}
	slices.SortFunc(slots, func(x, y Slot) int {
		return cmp.Or(cmp.Compare(x.Pool, y.Pool), cmp.Compare(x.Order, y.Order), cmp.Compare(x.Node, y.Node))
	})
	return spotsOf(slots)
}

func spotsOf(slots []Slot) []fleet.Spot {
	var spots []fleet.Spot
	for _, at := range slots {
		if n := len(spots); n == 0 || spots[n-1].Pool != at.Pool || spots[n-1].Order != at.Order {
			spots = append(spots, fleet.Spot{Pool: at.Pool, Order: at.Order})
		}
		last := &spots[len(spots)-1]
		last.Nodes = append(last.Nodes, at.Node)
	}
	return spots
}

// Of is the number of replicas of a pool.
func (t Tally) Of(pool int) int {
	total := 0
	for at, n := range t {
		if at.Pool == pool {
			total += n
		}
	}
	return total
}
