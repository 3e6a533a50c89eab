package explain

import (
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/placement"
)

// Why lists what keeps a workload from starting, in order; none if it runs or has ended.
func Why(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	var list []Blocker
	switch w.State {
	case fleet.Starting, fleet.Mending:
		list = starting(w)
	case fleet.Pending:
		list = pending(s, w, now)
	default:
		return nil
	}
	for i := range list {
		list[i].Since = w.PendingSince
	}
	return list
}

// starting names the victims that still hold room that the workload has reserved.
func starting(w *fleet.Workload) []Blocker {
	p := w.At()
	var culprits []string
	gpus, seen := 0, map[uint64]bool{}
	for _, replicas := range w.Held {
		for _, r := range replicas {
			if r.Phase != fleet.Reserved {
				continue
			}
			for _, other := range p.Nodes[r.Node].Residents() {
				if other.Phase == fleet.Leaving && !seen[other.Workload.ID] {
					seen[other.Workload.ID] = true
					culprits = append(culprits, name(other.Workload))
					gpus += other.Workload.GPUs()
				}
			}
		}
	}
	if len(culprits) == 0 {
		return nil
	}
	return []Blocker{block(Evicting, p, map[string]int{"gpus": gpus}, culprits,
		"Its room is reserved; %s must leave it within the grace period.", joined(culprits))}
}

func name(w *fleet.Workload) string { return w.Namespace + "/" + w.Name }

// pending explains the partition that comes closest: the one where the fewest
// things are in the way.
func pending(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	var best []Blocker
	for _, p := range s.Partitions {
		if w.Partition != "" && w.Partition != p.ID || !w.Flexes() && p.Account(w.Target) == nil {
			continue
		}
		list := inPartition(s, p, w, now)
		if best == nil || len(list) < len(best) {
			best = list
		}
	}
	if best == nil {
		return []Blocker{block(NoSuchPartition, nil, nil, nil, "%s has no grant in %s; choose another target or partition, or ask for a grant.", w.Target, place(w))}
	}
	return best
}

func place(w *fleet.Workload) string {
	if w.Partition == "" {
		return "any partition"
	}
	return w.Partition
}

func inPartition(s *fleet.State, p *fleet.Partition, w *fleet.Workload, now fleet.Instant) []Blocker {
	q := &question{s: s, p: p, w: w, pl: placement.New(s, p, now), it: fleet.Waiting{
		Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false),
	}}
	q.gpus, q.gang = placement.Needs(p, q.it)
	list := q.everywhere()
	if w.Flexes() {
		return append(list, q.onFlex()...)
	}
	return append(list, q.inQuota()...)
}

// question is one workload asked about in one partition.
type question struct {
	s          *fleet.State
	p          *fleet.Partition
	w          *fleet.Workload
	pl         *placement.Planner
	it         fleet.Waiting
	gpus, gang int // what it needs at once in GPUs, and its largest gang in nodes
}

func (q *question) everywhere() []Blocker {
	var list []Blocker
	if c := q.s.Cluster(q.p.Cluster); c != nil && (c.Stale || c.Mode != fleet.Enforce) {
		list = append(list, q.notReady(c))
	}
	if !q.pl.CouldEver(q.it) {
		list = append(list, block(GangTooLarge, q.p, map[string]int{"needs": q.gpus}, nil,
			"No place in %s could ever hold it: it needs %d GPUs, in one piece of %d nodes. Make it smaller, or give it a wider reach.", q.p.ID, q.gpus, q.gang))
	}
	return list
}

func (q *question) notReady(c *fleet.Cluster) Blocker {
	if c.Stale {
		return block(ClusterNotReady, q.p, nil, []string{c.Name}, "The reports of %s have stopped; nothing new starts there until they come again.", c.Name)
	}
	return block(ClusterNotReady, q.p, nil, []string{c.Name}, "Cluster %s is in mode %s; nothing is started there.", c.Name, c.Mode)
}

func (q *question) inQuota() []Blocker {
	var list []Blocker
	a := q.p.Account(q.w.Target)
	if ahead, ok := q.pl.Barrier(q.it); ok {
		gpus, _ := placement.Needs(q.p, ahead)
		list = append(list, block(Behind, q.p, map[string]int{"ahead": gpus}, []string{name(ahead.Workload)},
			"%s is ahead and holds a reservation for %d GPUs; this one could delay it.", name(ahead.Workload), gpus))
	}
	if grantWouldDo := a.Stays()+q.gpus <= a.Grant && a.Stays()+q.gpus > a.Backed(); grantWouldDo || !q.pl.FitsBacking(q.it, false) && q.gpus <= a.Grant {
		list = append(list, q.unbacked(a))
	}
	full := q.full(a)
	if full != nil {
		list = append(list, *full)
	}
	if len(list) == 0 {
		list = append(list, block(Fragmented, q.p, map[string]int{"needs": q.gpus, "unscheduled": a.Backed() - a.Stays()}, nil,
			"%s has enough GPUs left (%d), but not in one island.", q.w.Target, a.Backed()-a.Stays()))
	}
	return list
}

func (q *question) unbacked(a *fleet.Account) Blocker {
	figures := map[string]int{"needs": q.gpus, "assigned": a.Grant, "backed": a.Backed()}
	if a.Backed() < a.Grant && a.Stays()+q.gpus > a.Backed() {
		return block(QuotaUnbacked, q.p, figures, nil, "%s has %d GPUs assigned, but only %d are backed by healthy nodes now, and uses %d; it needs %d.",
			a.Quota, a.Grant, a.Backed(), a.Stays(), q.gpus)
	}
	return block(QuotaUnbacked, q.p, figures, nil, "%s has %d GPUs backed, but no island backs the %d nodes that its gang needs in one piece.",
		a.Quota, a.Backed(), q.gang)
}

// full says that the quota, or the tree it could borrow from, has not enough left.
func (q *question) full(a *fleet.Account) *Blocker {
	backed, used, others := 0, 0, false
	for _, x := range q.p.Accounts {
		if x.Tree() != a.Tree() {
			continue
		}
		backed += x.Backed()
		used += x.Stays()
		others = others || (x != a && x.Grant > 0)
	}
	if others && used+q.gpus > backed {
		b := block(TreeFull, q.p, map[string]int{"needs": q.gpus, "backed": backed, "usage": used}, holders(a),
			"%s and its siblings use %d of the %d GPUs that back their tree; it needs %d.", a.Quota, used, backed, q.gpus)
		return &b
	}
	if !others && a.Stays()+q.gpus > a.Backed() {
		b := block(QuotaFull, q.p, map[string]int{"needs": q.gpus, "backed": a.Backed(), "usage": a.Stays()}, holders(a),
			"%s uses %d of its %d backed GPUs; it needs %d.", a.Quota, a.Stays(), a.Backed(), q.gpus)
		return &b
	}
	return nil
}

// holders names the workloads that hold most of an account.
func holders(a *fleet.Account) []string {
	var names []string
	for _, w := range a.Work() {
		if len(names) == 5 {
			break
		}
		names = append(names, name(w))
	}
	return names
}

func (q *question) onFlex() []Blocker {
	shares := placement.Shares(q.p)
	ns := q.w.Namespace
	own, free := q.p.FlexOf(ns).Staying, q.p.Flex()-q.p.Tally().FlexUsed
	figures := map[string]int{"needs": q.gpus, "free": free, "flex": q.p.Flex(), "holds": own, "share": shares[ns]}
	ahead, barred := q.pl.FlexBarrier(q.it)
	switch {
	case own > 0 && own >= shares[ns]:
		return []Blocker{block(FlexShare, q.p, figures, nil, "%s already holds %d GPUs of flex; its fair share is %d.", ns, own, shares[ns])}
	case barred && ahead.Workload != q.w:
		return []Blocker{block(Behind, q.p, figures, []string{name(ahead.Workload)}, "%s is ahead: its namespace has less flex, and it holds a reservation.", name(ahead.Workload))}
	case free >= q.gpus || own+q.gpus <= shares[ns] && !q.anyAbove(shares):
		others := q.standInWay()
		return []Blocker{block(Fragmented, q.p, figures, others,
			"%d GPUs of flex are free and %d are its share, but not in one piece of %d nodes; in the way: %s.", free, shares[ns], max(q.gang, 1), joined(others))}
	}
	return []Blocker{block(FlexFull, q.p, figures, nil, "%d of %d GPUs of flex are free; it needs %d, and may evict nothing there now.", free, q.p.Flex(), q.gpus)}
}

// anyAbove says whether some other namespace holds more than its share.
func (q *question) anyAbove(shares map[string]int) bool {
	for _, ns := range q.p.Namespaces() {
		if ns != q.w.Namespace && q.p.FlexOf(ns).Staying > shares[ns] {
			return true
		}
	}
	return false
}

func (q *question) standInWay() []string {
	var names []string
	for _, w := range q.p.FlexWork() {
		if w.Namespace != q.w.Namespace && len(names) < 5 {
			names = append(names, name(w))
		}
	}
	return names
}
