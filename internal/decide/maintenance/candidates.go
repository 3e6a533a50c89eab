package maintenance

import (
	"cmp"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// spot is an island of a partition.
type spot struct {
	p      *fleet.Partition
	island int
}

// rank orders nodes by whom a visit costs least: the classes of maintenance §3.
type rank struct {
	class int
	ends  fleet.Instant // when its work has ended, as declared; Never: not known
	lost  int64         // GPU-nanoseconds since the last checkpoint
	name  string
}

// The classes of nodes.
const (
	isOut     = iota
	isStopped // work stopped for it
	isEmpty
	isFlex
	isSurplus
	isQuota // only a visit without impact goes there
)

func (a rank) compare(b rank) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.ends, b.ends), cmp.Compare(a.lost, b.lost), strings.Compare(a.name, b.name))
}

// rated says how a node stands in line, or why it is in no line: in-quota work is left
// alone, and so is flex work before its minimum run time, unless the rollout is urgent.
func (l *look) rated(n *fleet.Node, quiet, urgent bool) (rank, Wait, bool) {
	r := rank{class: isEmpty, name: n.Name}
	if n.State.InRepair() {
		r.class = isOut
		return r, Wait{}, true
	}
	if outOfService(n.State) {
		return r, Wait{Code: OutOfService}, false
	}
	for _, x := range n.Residents() {
		if x.Phase == fleet.Leaving {
			r.class = max(r.class, isFlex)
			continue
		}
		if why, ok := l.weigh(&r, n, x, quiet, urgent); !ok {
			return r, why, false
		}
	}
	return r, Wait{}, true
}

// outOfService says whether no work may be planned on nodes in a state: they are out by other planned work or for good, or
// it is still to be seen whether they are.
func outOfService(state fleet.NodeState) bool {
	return state == fleet.Suspect || state == fleet.Maintenance || state == fleet.Retired
}

// weigh takes one replica on the node into account.
func (l *look) weigh(r *rank, n *fleet.Node, x fleet.Resident, quiet, urgent bool) (Wait, bool) {
	w := x.Workload
	ends := fleet.Never
	if w.MaxRuntime > 0 && w.Started != 0 {
		ends = w.Started.Add(w.MaxRuntime)
	}
	from := cmp.Or(w.Started, l.now) // room is reserved for it: its minimum run time is still to begin
	r.ends = max(r.ends, ends)
	r.lost += int64(w.Unsaved(l.now)) * int64(x.GPUs())
	switch {
	case quiet && !w.Flexes():
		r.class = isQuota
	case w.Flexes() && (quiet || urgent || from.Add(l.s.Policy.FlexMinimum) <= l.now):
		r.class = max(r.class, isFlex)
	case w.Flexes():
		return Wait{Code: InUse, Until: from.Add(l.s.Policy.FlexMinimum), Who: called(w)}, false
	case Surplus(w, x.Pool, n):
		r.class = max(r.class, isSurplus)
	case ends != fleet.Never && ends > l.now: // else it is overdue, and its end is not known
		return Wait{Code: InUse, Until: ends, Who: called(w), declared: true}, false
	default:
		return Wait{Code: InUse, Who: called(w)}, false
	}
	return Wait{}, true
}

func called(w *fleet.Workload) string { return w.Namespace + "/" + w.Name }

// Surplus says whether a running elastic pool may give its replicas on a node back, and
// still has its min.
func Surplus(w *fleet.Workload, pool int, n *fleet.Node) bool {
	if !w.Pools[pool].Elastic || w.State != fleet.RunningW {
		return false
	}
	here := 0
	for _, x := range n.Residents() {
		if x.Workload != w || x.Phase == fleet.Leaving {
			continue
		}
		if x.Phase != fleet.Running {
			return false
		}
		if x.Pool == pool {
			here++
		}
	}
	return w.InPhase(pool, fleet.Running)-here >= w.Pools[pool].Min // what is reserved does not run yet
}

// allowed asks what does not depend on who is first: reports, zones, limits, promises.
func (l *look) allowed(r *fleet.Rollout, x pending) (Wait, bool) {
	quiet := !disturbs(x.n, x.b)
	length := x.b.Lasts + l.policy().Validation
	if c := l.s.Cluster(x.p.Cluster); c != nil && c.Stale {
		return Wait{Code: Stale}, false
	}
	if hit, ok := l.zoned(x.p, x.n, x.b.Impact, length); ok {
		return Wait{Code: NoFlyZone, Zone: hit.zone.Name, Until: hit.span.To}, false
	}
	if l.full(r.Limits, x) {
		l.back[r.Name] = l.back[r.Name] || l.traffic(x.p).all >= mostOut(r.Limits, x.p)
		return Wait{Code: Limit}, false
	}
	if quiet {
		return Wait{}, true
	}
	why, ok := l.promised(x.p, x.at)
	if !ok {
		l.isShort(r, spot{x.p, x.n.Island}, 1)
	}
	return why, ok
}

// full says whether as many nodes are visited already as the limits allow.
func (l *look) full(limit fleet.VisitLimit, x pending) bool {
	t, most := l.traffic(x.p), mostOut(limit, x.p)
	together := limit.Racks && t.rack[[2]int{x.n.Island, x.n.Rack}] > 0
	return t.all >= most || !together && t.island[x.n.Island] >= limit.PerIsland
}

// mostOut is how many nodes of a partition the limits let be visited at a time.
func mostOut(limit fleet.VisitLimit, p *fleet.Partition) int {
	if limit.PerPartition > 0 {
		return limit.PerPartition
	}
	return max(1, len(p.Nodes)*int(limit.Share)/1000)
}

// promised asks whether promises hold without the node. Whole nodes of one island without in-quota
// work are alike.
func (l *look) promised(p *fleet.Partition, node int) (Wait, bool) {
	n := p.Nodes[node]
	at, alike := spot{p, n.Island}, n.Owner() == nil && n.Whole()
	if holds, known := l.part[at]; known && alike {
		if !holds {
			return Wait{Code: WouldBreakPromise}, false
		}
		return Wait{}, true
	}
	part := promise.Part(l.s, p, node, l.now)
	l.tried[p] = l.tried[p] || part.Aligned
	if alike {
		l.part[at] = part.Holds
	}
	if !part.Holds {
		return Wait{Code: WouldBreakPromise, Who: part.Quota, Short: part.Short}, false
	}
	return Wait{}, true
}
