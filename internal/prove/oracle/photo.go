package oracle

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Photo is what an outsider sees of the fleet after one record.
type Photo struct {
	At     fleet.Instant
	Policy fleet.Policy
	Parts  []*Part
	Jobs   []*Job // in order of submission
}

// Part is one partition.
type Part struct {
	ID      string
	Stale   bool
	PerNode int // GPUs
	Nodes   []Node
	ByIsland
	Promised int // promisable nodes
	Figures  view.Partition
	Rows     []view.Quota
	Spaces   []view.Namespace
	Quotas   []Quota // as Rows, with backing in nodes
	Units    []Unit  // all that stands or is reserved here
	Tight    Tightness
}

// ByIsland is what is known of each island of a partition.
type ByIsland struct {
	Islands []string
	Own     []int // own shares, in nodes
	Buffers []int // nodes that the fixed policy lets be promised, in thousandths; nil: another policy
}

// Node is one machine.
type Node struct {
	Name         string
	Island, Rack int
	State        fleet.NodeState
	GPUs, Dead   int
	Leaving      bool // planned work takes it within the horizon
	Free         int  // GPUs, as it is told
	Tight        []explain.Tight
}

// Usable is the GPUs on which work may start.
func (n Node) Usable() int {
	switch n.State {
	case fleet.Healthy, fleet.Probation, fleet.Degraded:
		return n.GPUs - n.Dead
	default:
		return 0
	}
}

// Whole says whether the node can back a quota.
func (n Node) Whole() bool { return n.State == fleet.Healthy && n.Dead == 0 && !n.Leaving }

// Quota is what a quota has in a partition.
type Quota struct {
	Path, Tree  string
	Grant, Gang int   // GPUs
	Backing     []int // nodes by island
	Unbacked    bool  // the flag GangUnbacked
	Held        bool  // part of it is held for a user or namespace
}

// Backed is the nodes of all islands.
func (q Quota) Backed() int {
	t := 0
	for _, n := range q.Backing {
		t += n
	}
	return t
}

// Unit is one replica on a node.
type Unit struct {
	Job   *Job
	Pool  int
	Node  int
	Phase fleet.Phase
	Holds fleet.HeldAs
}

// GPUs is what the replica takes.
func (u Unit) GPUs() int { return u.Job.Pools[u.Pool].GPUs }

// Stays says whether the replica runs or has reserved, and was not told to leave.
func (u Unit) Stays() bool { return u.Phase != fleet.Leaving }

// Job is one workload.
type Job struct {
	ID uint64
	Asked
	Course
	At    string // where it stands
	Units []Unit
	Why   []explain.Blocker // of one that waits
}

// Asked is what a workload was submitted with.
type Asked struct {
	Name, Space  string
	Target, Tree string
	Want         string // the only partition it asked for
	Priority     fleet.Priority
	Pools        []fleet.Pool
	MaxRuntime   time.Duration
}

// Course is what has become of a workload.
type Course struct {
	State              fleet.WorkloadState
	Submitted, Started fleet.Instant
	Late               bool   // it has run past the maximum that it declared
	Passed             uint64 // the head of flex that it passed
	Moves              bool   // it goes elsewhere once it has left its nodes
	Stopped            bool   // it stopped, so that its nodes can be visited
	Evictions          int
	Evicted            []fleet.Instant // when it was evicted last, at most three moments
}

// Take takes a photo. The state must be the caller's own.
func Take(s *fleet.State) *Photo {
	ph := &Photo{At: s.Time, Policy: s.Policy}
	for _, w := range s.Workloads {
		if !w.State.Ended() || w.GPUs() > 0 {
			ph.Jobs = append(ph.Jobs, takeJob(s, w))
		}
	}
	slices.SortFunc(ph.Jobs, func(a, b *Job) int { return cmp.Compare(a.ID, b.ID) })
	for _, p := range s.Partitions {
		ph.Parts = append(ph.Parts, takePart(s, p, ph.Jobs))
	}
	return ph
}

func takeJob(s *fleet.State, w *fleet.Workload) *Job {
	j := &Job{
		ID: w.ID,
		Asked: Asked{
			Name: w.Name, Space: w.Namespace, Target: w.Target, Tree: w.Tree(), Want: w.Partition, Priority: w.Priority, Pools: w.Pools,
			MaxRuntime: w.MaxRuntime,
		},
		Course: Course{
			State: w.State, Submitted: w.Submitted, Started: w.Started, Late: w.Late, Passed: w.Passed, Moves: w.Moves != nil,
			Stopped:   slices.ContainsFunc(s.Kept().Stops, func(st fleet.Stop) bool { return st.ID == w.ID }),
			Evictions: int(w.Evictions), Evicted: w.Evicted.All(),
		},
	}
	if p := w.At(); p != nil {
		j.At = p.ID
	}
	for pool, list := range w.Replicas {
		for _, r := range list {
			j.Units = append(j.Units, Unit{j, pool, r.Node, r.Phase, r.HeldAs})
		}
	}
	if w.State == fleet.Pending {
		j.Why = explain.Why(s, w, s.Time)
	}
	return j
}

func takePart(s *fleet.State, p *fleet.Partition, jobs []*Job) *Part {
	part := &Part{
		ID: p.ID, PerNode: p.GPUsPerNode, Promised: p.Promisable,
		Figures: view.PartitionOf(p), Rows: view.QuotasIn(p),
	}
	part.Stale, part.Tight = part.Figures.Stale, takeTight(p)
	for i, island := range p.Islands {
		part.Islands = append(part.Islands, island.Name)
		part.Own = append(part.Own, island.Share)
		part.Buffers = append(part.Buffers, fixedShare(s, p, i))
	}
	if slices.Contains(part.Buffers, -1) {
		part.Buffers = nil
	}
	asks := explain.AsksIn(s, p)
	for i, n := range p.Nodes {
		tight, _ := asks.TightFor(p, i)
		part.Nodes = append(part.Nodes, Node{n.Name, n.Island, n.Rack, n.State, n.GPUs, n.Dead, n.Leaving, view.FreeOn(n), tight})
	}
	for _, name := range p.Namespaces() {
		part.Spaces = append(part.Spaces, view.NamespaceIn(p, name))
	}
	for _, row := range part.Rows {
		part.Quotas = append(part.Quotas, takeQuota(s, part, row))
	}
	for _, j := range jobs {
		if j.At == p.ID {
			part.Units = append(part.Units, j.Units...)
		}
	}
	return part
}

func takeQuota(s *fleet.State, p *Part, row view.Quota) Quota {
	q := Quota{
		Path: row.Quota, Tree: fleet.TreeOf(row.Quota), Grant: row.Assigned, Gang: row.Gang,
		Unbacked: slices.Contains(row.Flags, view.GangUnbacked),
	}
	for _, island := range p.Islands {
		q.Backing = append(q.Backing, row.Islands[island]/p.PerNode)
	}
	for _, h := range s.Holds {
		q.Held = q.Held || h.Quota == q.Path && h.Partition == p.ID && h.User+h.Namespace != ""
	}
	return q
}

// fixedShare is the buffer in thousandths of an island's nodes, of the closest
// scope; -1 where the policy there learns.
func fixedShare(s *fleet.State, p *fleet.Partition, island int) int {
	b := s.Policy.Buffer
	for _, scope := range []string{p.Cluster, p.ID, p.ID + "/" + p.Islands[island].Name} {
		if own, ok := s.Buffers[scope]; ok {
			b = own
		}
	}
	if b.Learns() {
		return -1
	}
	return int(b.Share)
}

// Moment is one record, with the photos before and after it.
type Moment struct {
	Before, After *Photo
	Record        event.Record
}

// Part finds a partition.
func (ph *Photo) Part(id string) *Part {
	for _, p := range ph.Parts {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// Job finds a workload.
func (ph *Photo) Job(id uint64) *Job {
	i, found := slices.BinarySearchFunc(ph.Jobs, id, func(j *Job, id uint64) int { return cmp.Compare(j.ID, id) })
	if !found {
		return nil
	}
	return ph.Jobs[i]
}

// Quota finds what a quota has here.
func (p *Part) Quota(path string) *Quota {
	for i := range p.Quotas {
		if p.Quotas[i].Path == path {
			return &p.Quotas[i]
		}
	}
	return nil
}

// Flexes says whether the workload targets flex.
func (j *Job) Flexes() bool { return j.Target == fleet.Flex }

// Base is the lowest rank of the pools: those start together.
func (j *Job) Base() int {
	rank := j.Pools[0].Rank
	for _, p := range j.Pools {
		rank = min(rank, p.Rank)
	}
	return rank
}

// Count is how many replicas of a pool stay.
func (j *Job) Count(pool int) int {
	n := 0
	for _, u := range j.Units {
		if u.Pool == pool && u.Stays() {
			n++
		}
	}
	return n
}

// Ahead says whether a pool of rank a of j comes before one of rank b of k in a
// queue: priority, rank, age.
func Ahead(j *Job, a int, k *Job, b int) bool {
	since := func(j *Job) fleet.Instant {
		if j.Late {
			return fleet.Never
		}
		return j.Submitted
	}
	return cmp.Or(cmp.Compare(j.Priority, k.Priority), cmp.Compare(a, b), cmp.Compare(since(j), since(k)), cmp.Compare(j.ID, k.ID)) < 0
}

// Above says whether a pool of rank a of j is more important than one of rank b of k.
func Above(j *Job, a int, k *Job, b int) bool {
	return cmp.Or(cmp.Compare(j.Priority, k.Priority), cmp.Compare(a, b)) < 0
}
