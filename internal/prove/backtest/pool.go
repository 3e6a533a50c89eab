package backtest

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
)

// Pool is the past of nodes that one promise is about: an island, or all of a partition.
type Pool struct {
	Name        string
	GPUsPerNode int
	Racks       int
	Hours       []buffer.Hour
	Rate        []float64 // faults per node-day of the whole fleet until each day, as buffer.FleetRate has it
}

// change is a moment at which nodes of a pool went down or came back, or were added.
type change struct {
	at          time.Duration // since the pool's first hour
	down, nodes int           // by how many
}

// hours lays changes on a grid of full hours. What happens at the moment an
// hour begins belongs to its level.
func hours(changes []change, count int) []buffer.Hour {
	slices.SortStableFunc(changes, func(a, b change) int {
		// A node that comes back at the moment another goes is not down with it.
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.down, b.down))
	})
	out := make([]buffer.Hour, count)
	down, nodes, next := 0, 0, 0
	for h := range out {
		begins := time.Duration(h) * time.Hour
		for ; next < len(changes) && changes[next].at <= begins; next++ {
			down, nodes = down+changes[next].down, nodes+changes[next].nodes
		}
		out[h] = buffer.Hour{Nodes: nodes, Level: down, Peak: down}
		for ; next < len(changes) && changes[next].at < begins+time.Hour; next++ {
			down, nodes = down+changes[next].down, nodes+changes[next].nodes
			out[h].Peak = max(out[h].Peak, down)
		}
	}
	return out
}

// cut is the hours [from, to) of a pool, as if its past began there.
func (p Pool) cut(from, to int) Pool {
	p.Hours = p.Hours[min(from, len(p.Hours)):min(to, len(p.Hours))]
	return p
}

// rates says the fleet's rate of faults at the end of each day, from all its pools.
func rates(pools []Pool) []float64 {
	hours := make([][]buffer.Hour, len(pools))
	for i, p := range pools {
		hours[i] = p.Hours
	}
	return trial.Rates(hours)
}
