package explain

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Why lists what keeps a workload from starting, in order; none if it runs or
// has ended, unless it was told to leave and is not reported gone. It uses the planner's scratch memory, so the state must be the
// caller's own.
func Why(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	var list []Blocker
	switch w.State {
	case fleet.Starting, fleet.Mending:
		list = starting(w)
	case fleet.Pending:
		list = pending(s, w, now)
	default:
		list = stuck(w)
	}
	for i := range list {
		list[i].Since = w.PendingSince
	}
	return list
}

// pending explains the partition that comes closest: one that could hold it
// before one that never could, then one that is ready, then the one where the
// fewest things are in the way.
func pending(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	list := reasons(s, w, now)
	if w.Paused && AnswerOf(list) != Impossible {
		return []Blocker{paused(s, w)}
	}
	return list
}

// reasons are those of the partition that comes closest, whether maintenance stopped the workload or not.
func reasons(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	var lists [][]Blocker
	for _, p := range s.Partitions {
		if !w.May(p) || !w.Flexes() && p.Account(w.Target) == nil {
			continue
		}
		lists = append(lists, inPartition(s, p, w, now))
	}
	if len(lists) == 0 {
		return []Blocker{nowhere(w)}
	}
	closest := slices.MinFunc(lists, func(a, b []Blocker) int {
		return cmp.Or(cmp.Compare(hopeless(a), hopeless(b)), cmp.Compare(len(a), len(b)), cmp.Compare(roomIn(b), roomIn(a)))
	})
	if len(lists) > 1 && len(closest) > 0 && closest[0].Partition != "" {
		closest[0].Text += words(" (%s is the closest of the %d partitions where it may run.)", closest[0].Partition, len(lists))
	}
	return closest
}

// roomIn compares partitions where the same is in the way: by the largest island
// where none is large enough, else by what is free.
func roomIn(list []Blocker) int {
	if len(list) == 0 {
		return 0
	}
	f := list[0].Figures
	return f["largestNodes"] + f["free"]
}

// hopeless weighs what time alone will not mend.
func hopeless(list []Blocker) int {
	weight := 0
	for _, b := range list {
		switch {
		case b.Code == reason.GangTooLarge:
			weight += 4
		case b.Class == reason.Change:
			weight += 2
		case b.Code == reason.ClusterNotReady:
			weight++
		}
	}
	return weight
}

func nowhere(w *fleet.Workload) Blocker {
	if w.Flexes() {
		return block(reason.NoSuchPartition, nil, nil, nil, "There is no partition for it yet: %s.", place(w))
	}
	return block(reason.NoSuchPartition, nil, nil, nil, "%s has no grant in %s.", w.Target, place(w))
}

func place(w *fleet.Workload) string {
	if home := w.Home(); w.Partition == "" && home != "" {
		return "any partition of " + home
	}
	if w.Partition == "" {
		return "any partition"
	}
	return w.Partition
}

func inPartition(s *fleet.State, p *fleet.Partition, w *fleet.Workload, now fleet.Instant) []Blocker {
	q := &question{s: s, p: p, w: w, now: now, pl: placement.New(s, p, now), it: fleet.Waiting{
		Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false),
	}}
	q.gpus, q.gang = placement.Needs(p, q.it)
	list := q.everywhere()
	if len(list) == 0 {
		if b, ok := q.resting(); ok {
			return []Blocker{b}
		}
	}
	if w.Flexes() {
		return append(list, q.onFlex(len(list) > 0)...)
	}
	return append(list, q.inQuota(p.Account(w.Target), len(list) > 0)...)
}

// question is one workload asked about in one partition.
type question struct {
	s          *fleet.State
	p          *fleet.Partition
	w          *fleet.Workload
	now        fleet.Instant
	pl         *placement.Planner
	it         fleet.Waiting
	gpus, gang int // what it needs at once in GPUs, and its largest gang in nodes
}

// everywhere is what keeps work of any target from starting.
func (q *question) everywhere() []Blocker {
	var list []Blocker
	if c := q.s.Cluster(q.p.Cluster); c != nil && (c.Stale || c.Mode != fleet.Enforce) {
		list = append(list, q.notReady(c))
	}
	if q.p.Halted() != "" {
		list = append(list, block(reason.ClusterNotReady, q.p, nil, nil, "Nothing new is decided in %s: %s.", q.p.ID, q.p.Halted()))
	}
	if !q.pl.CouldEver(q.it) {
		list = append(list, q.tooLarge())
	}
	return list
}

func (q *question) notReady(c *fleet.Cluster) Blocker {
	if c.Stale {
		return block(reason.ClusterNotReady, q.p, nil, []string{c.Name}, "The reports of %s have stopped; nothing new starts there until it reports again.", c.Name)
	}
	// Nothing is broken: it goes on when an operator says so.
	return block(reason.ClusterNotReady, q.p, nil, []string{c.Name}, "Cluster %s is in mode %s; Muster starts nothing there.", c.Name, c.Mode).of(reason.Ask)
}

func (q *question) tooLarge() Blocker {
	for _, pool := range q.w.Pools {
		if pool.GPUs > q.p.GPUsPerNode {
			return block(reason.GangTooLarge, q.p, map[string]int{"needs": pool.GPUs, "perNode": q.p.GPUsPerNode}, nil,
				"A replica of %s needs %d GPUs on one node; a node of %s has %d.", pool.Name, pool.GPUs, q.p.ID, q.p.GPUsPerNode)
		}
	}
	largest := q.largest()
	figures := map[string]int{"needs": q.gpus, "needsNodes": q.gang, "largestNodes": largest}
	if q.gang == 0 {
		delete(figures, "needsNodes")
		return block(reason.GangTooLarge, q.p, figures, nil, "It needs %d GPUs at once, and all of %s could not hold it.", q.gpus, q.p.ID)
	}
	return block(reason.GangTooLarge, q.p, figures, nil, "Its gang needs %d nodes in one %s; no %s of %s could ever hold it (the largest %s has %d nodes).",
		q.gang, q.reach(), q.reach(), q.p.ID, q.reach(), largest)
}

// largest is the nodes of the largest island, or rack where it must stand in one.
func (q *question) largest() int {
	most := 0
	for _, island := range q.p.Islands {
		if q.reach() == "island" {
			most = max(most, len(island.Nodes()))
			continue
		}
		racks := map[int]int{}
		for _, n := range island.Nodes() {
			racks[q.p.Nodes[n].Rack]++
			most = max(most, racks[q.p.Nodes[n].Rack])
		}
	}
	return most
}

// reach is how closely the largest of its gangs must stand.
func (q *question) reach() string {
	for _, pool := range q.w.Pools {
		if pool.Reach == fleet.ReachRack {
			return "rack"
		}
	}
	return "island"
}
