package forecast

import (
	"container/heap"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// plan is something that will happen on a path.
type plan struct {
	at   fleet.Instant
	what happening
	id   uint64 // of a workload, or number of a node
	turn int    // of the workload's life: a plan of an earlier turn is void
	in   *fleet.Partition
}

type happening int8

// What happens by itself, in the order in which it does at one moment.
const (
	leaves  happening = iota // what must leave has used its whole grace
	ends                     // a workload has run as long as it runs
	returns                  // a node comes back from repair
	visited                  // the visit of a node is over
)

// plans is a heap, the next first.
type plans []plan

func (p plans) Len() int           { return len(p) }
func (p plans) Less(i, j int) bool { return p[i].before(p[j]) }
func (p plans) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *plans) Push(x any)        { *p = append(*p, x.(plan)) }
func (p *plans) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

func (p plan) before(q plan) bool {
	switch {
	case p.at != q.at:
		return p.at < q.at
	case p.what != q.what:
		return p.what < q.what
	}
	return p.id < q.id
}

func (p *plans) add(x plan) { heap.Push(p, x) }
func (p *plans) next() plan { return heap.Pop(p).(plan) }

// due is the moment of the next plan, or Never.
func (p plans) due() fleet.Instant {
	if len(p) == 0 {
		return fleet.Never
	}
	return p[0].at
}
