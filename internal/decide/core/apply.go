package core

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ApplyRecord puts a record into the state. It decides nothing: a record that was
// written can always be applied, to the state it was written for.
func ApplyRecord(s *fleet.State, r event.Record) {
	s.Seq, s.Time = r.Seq-1, max(s.Time, r.At) // so s.Number() is r.Seq while the events are applied, as it was when they were decided
	for _, e := range r.Events {
		apply(s, e, r.At)
	}
	s.KeepHighs(r.At)
	s.Seq = r.Seq
	if r.Key != "" {
		s.Remember(fleet.KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, Seq: r.Seq, At: r.At})
	}
}

func apply(s *fleet.State, e event.Event, at fleet.Instant) {
	if applyMetal(s, e, at) || applyPeople(s, e, at) || applyAccess(s, e, at) || applyHaircut(s, e, at) || applyWork(s, e, at) || applyMaintenance(s, e, at) || applyBuildout(s, e, at) {
		return
	}
	panic(fmt.Sprintf("core: no rule applies %q", e.Kind())) // the registry and this file have parted
}

func applyMetal(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.ClusterAdded:
		s.AddCluster(fleet.Cluster{Name: e.Cluster, Mode: e.Mode})
		s.TouchLife(e.Cluster)
	case event.ClusterModeSet:
		s.SetMode(e.Cluster, e.Mode)
	case event.PartitionAdded:
		s.AddPartition(e.Cluster, e.GPU, e.GPUsPerNode)
	case event.IslandAdded:
		s.Partition(e.Partition).AddIsland(e.Island, e.Racks)
	case event.NodesAdded:
		addNodes(s, e, at)
	case event.NodeChanged:
		changeNode(s, e, at)
	case event.ServerStarted: // what stands is what stood; the past leaves the time out
	case event.ReportsStopped:
		setStale(s, e.Cluster, true, at)
	case event.ReportsResumed:
		setStale(s, e.Cluster, false, at)
	case event.PolicySet:
		s.Judge(at)
		s.SetPolicy(e.Policy)
	case event.BufferSet:
		s.Judge(at)
		s.SetBuffer(e.Scope, e.Buffer)
	case event.BufferCleared:
		s.Judge(at)
		s.ClearBuffer(e.Scope)
	case event.TargetsSet:
		s.Cluster(e.Cluster).Targets = e.Targets
	case event.IncidentOpened:
		s.Incidents = append(s.Incidents, opened(e, at))
	case event.IncidentClosed:
		closeNamed(s, e.Name, at)
	case event.UsageMeasured:
		s.Measure(s.Workloads[e.Workload], e.SM, e.Tensor, e.Network, at)
	default:
		return applyHealth(s, e, at)
	}
	return true
}

func opened(e event.IncidentOpened, at fleet.Instant) *fleet.Incident {
	return &fleet.Incident{Name: e.Name, Scope: e.Scope, Severity: e.Severity, Nodes: e.Nodes, Opened: at, Owner: e.Owner, Link: e.Link, Reason: e.Reason}
}

func changeNode(s *fleet.State, e event.NodeChanged, at fleet.Instant) {
	p := s.Partition(e.Partition)
	node, _ := p.Node(e.Node)
	p.Plan(node, e.To, e.Dead, e.Signal, e.Planned, e.Until, at)
	p.KeepNode(node, e.From, e.Owner, e.Signal, at)
	s.TouchLife(p.Cluster)
	p.Need(node, e.Needs)
}

func applyFit(p *fleet.Partition, e event.FitObserved) {
	tight, loose := make([]fleet.Tight, len(e.Tight)), make([]int, len(e.Loose))
	for i, t := range e.Tight {
		node, _ := p.Node(t.Node)
		tight[i] = fleet.Tight{Node: node, Takings: t.Takings, Why: t.Why, By: t.By}
	}
	for i, name := range e.Loose {
		loose[i], _ = p.Node(name)
	}
	p.SetTight(e.Footprint, tight, loose)
}

func addNodes(s *fleet.State, e event.NodesAdded, at fleet.Instant) {
	p := s.Partition(e.Partition)
	s.TouchLife(p.Cluster)
	island, _ := p.Island(e.Island)
	for k, name := range e.Names {
		rack := 0
		if k < len(e.Racks) {
			rack = e.Racks[k]
		}
		p.AddNode(name, island, rack, at)
	}
}

func setStale(s *fleet.State, cluster string, stale bool, at fleet.Instant) {
	c := s.Cluster(cluster)
	c.Stale, c.StaleSince = stale, 0
	s.TouchLife(cluster)
	if stale {
		c.StaleSince = at
	}
	for _, p := range s.Partitions {
		if p.Cluster == cluster {
			p.Unalign()
		}
	}
}

func closeNamed(s *fleet.State, name string, at fleet.Instant) {
	for _, i := range s.Incidents {
		if i.Name == name && i.Closed == 0 {
			i.Closed = at
		}
	}
}

func applyPeople(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.QuotaCreated:
		s.AddQuota(fleet.Quota{Path: e.Quota, Access: e.Access, Owner: e.Owner})
	case event.QuotaDeleted:
		s.RemoveQuota(e.Quota)
	case event.AccessSet:
		s.Quota(e.Quota).Access = e.Access
	case event.QuotaOwned:
		s.Quota(e.Quota).Owner = e.Owner
	case event.HoldPlaced:
		s.AddHold(e.Hold)
	case event.HoldEnded:
		s.EndHold(e.ID, e.Left)
	case event.RequestMade:
		s.AddRequest(e.Request)
	case event.RequestOffered:
		r := s.Request(e.ID)
		r.Offers = append(r.Offers, e.Offer)
	case event.RequestEnded:
		s.EndRequest(e.ID, e.State, e.By, e.Answer, at)
	case event.SubscriptionSet:
		s.SetSubscription(e.Subscription)
	case event.SubscriptionEnded:
		s.RemoveSubscription(e.Name)
	case event.BackingAligned:
		applyBacking(s.Partition(e.Partition), e, at)
	default:
		return applyGrants(s, e)
	}
	return true
}

func applyGrants(s *fleet.State, e event.Event) bool {
	switch e := e.(type) {
	case event.GrantSet:
		p := s.Partition(e.Partition)
		if e.None {
			p.EndGrant(e.Quota)
			break
		}
		p.SetGrant(e.Quota, e.GPUs, e.Gang, e.Overcommit)
		p.SetTemporary(e.Quota, e.Temporary)
		p.SetPassing(e.Quota, e.New)
	case event.GrantEnding:
		p := s.Partition(e.Partition)
		soon := p.EnsureAccount(e.Quota).Temporary
		soon.Told = true
		p.SetTemporary(e.Quota, soon)
	case event.GrantEnded:
		p := s.Partition(e.Partition)
		p.SetGrant(e.Quota, e.GPUs, e.Gang, e.Overcommit)
		p.SetTemporary(e.Quota, fleet.Temporary{})
	case event.GrantTransferred:
		applyTransfer(s.Partition(e.Partition), e)
	default:
		return false
	}
	return true
}

// applyTransfer moves what lasts of a grant; what ends of it stays where it is.
func applyTransfer(p *fleet.Partition, e event.GrantTransferred) {
	from, to := p.EnsureAccount(e.From), p.EnsureAccount(e.To)
	p.SetGrant(e.From, from.Grant-e.GPUs, min(from.Gang, p.InWholeNodes(from.Grant-e.GPUs)), from.Overcommit)
	p.SetGrant(e.To, to.Grant+e.GPUs, to.Gang, to.Overcommit)
}

func applyBacking(p *fleet.Partition, e event.BackingAligned, at fleet.Instant) {
	p.SetPromise(e.Promisable, e.Unsustained, at)
	p.Regranted = p.Regranted && e.Trimmed || e.Regranted
	for i, share := range e.Shares {
		p.Islands[i].Share = share
	}
	for _, b := range e.Backing {
		island, _ := p.Island(b.Island)
		p.SetBacking(b.Quota, island, b.Nodes)
	}
	for _, g := range e.Gangs {
		island, _ := p.Island(g.Island)
		p.SetGang(g.Quota, g.Missing, island)
	}
	p.ForgetDip()
	p.Touch()
}

func applyWork(s *fleet.State, e event.Event, at fleet.Instant) bool {
	if w := s.Workloads[event.Workload(e)]; w != nil {
		s.TouchRetiring(w.Where) // once it has left, where it stood is not known any more
	}
	switch e := e.(type) {
	case event.WorkloadSubmitted:
		s.AddWorkload(e.ID, e.Spec, at)
	case event.WorkloadCancelled:
		w := s.Workloads[e.ID]
		s.End(w, fleet.Cancelled, at)
		w.Gone = e.Gone
		s.Order(w, 0, at, w.GraceEnds)
	case event.WorkloadFinished:
		s.End(s.Workloads[e.ID], ending(e.Failed), at)
	case event.WorkloadRetargeted:
		applyRetargeted(s, s.Workloads[e.ID], e, at)
	case event.WorkloadPrioritised:
		s.Change(s.Workloads[e.ID], func(w *fleet.Workload) { w.Priority = e.Priority })
	case event.WorkloadResized:
		applyResized(s, s.Workloads[e.ID], e, at)
	case event.WorkloadAdopted:
		applyAdopted(s, s.Workloads[e.ID], e, at)
	default:
		return applyReplicas(s, e, at)
	}
	return true
}

// applyRetargeted changes the target at once where nothing stands; else the
// workload leaves its nodes first.
func applyRetargeted(s *fleet.State, w *fleet.Workload, e event.WorkloadRetargeted, at fleet.Instant) {
	w.Moves = &fleet.Move{Target: e.Target, Partition: e.Partition}
	if w.At() != nil {
		w.GraceEnds = e.Until
		s.LeaveAll(w)
		s.Order(w, 0, at, e.Until)
		s.Settle(w, at)
	}
	if w.At() == nil && w.Moves != nil {
		s.Change(w, func(w *fleet.Workload) { w.Target, w.Partition, w.Moves = e.Target, e.Partition, nil })
	}
}

func ending(failed bool) fleet.WorkloadState {
	if failed {
		return fleet.Failed
	}
	return fleet.Finished
}

func applyReplicas(s *fleet.State, e event.Event, at fleet.Instant) bool {
	w := s.Workloads[event.Workload(e)]
	switch e := e.(type) {
	case event.ReplicasPlaced:
		applyPlaced(s, w, e)
	case event.ReplicasStarted:
		w.Mends += w.Mending()
		s.Start(w)
	case event.ReplicasEvicted:
		applyEvicted(s, w, e, at)
	case event.GangReturned:
		applyReturned(s, w, e, at)
	case event.ReplicasOverdue:
		s.Repeat(w, e.Order, e.Again)
	case event.ReplicasStopped:
		s.Drop(w, e.Spots)
	case event.ReplicasLost:
		if p := w.At(); p != nil {
			if node, ok := p.Node(e.Node); ok {
				s.Interrupted(p, node, at)
			}
		}
		s.Lose(w, e.Spots, at)
	case event.ReplicasUnfit:
		s.Unfit(w, e.Spots)
	case event.ReplicasObserved:
		applyObserved(s, w, e)
	case event.ReservationEnded:
		s.Unreserve(w, e.Spots)
	case event.ProtectionCut:
		w.Cut = &fleet.ProtectionCut{At: at, GPUs: e.GPUs, Change: e.Change, By: e.By, Reason: e.Reason}
		return true // it is told when all is decided, and changes no replica
	case event.HoldsChanged:
		s.SetHolds(w, e.Pool, e.From, e.To, e.Holds)
	default:
		return false
	}
	s.TouchRetiring(w.Where)
	s.Settle(w, at)
	return true
}

func applyReturned(s *fleet.State, w *fleet.Workload, e event.GangReturned, at fleet.Instant) {
	if w.GraceEnds = e.Until; e.Stop {
		w.Stops++
	}
	s.Leave(w, e.Spots)
	s.Order(w, 0, at, e.Until)
}

func applyPlaced(s *fleet.State, w *fleet.Workload, e event.ReplicasPlaced) {
	phase := fleet.Running
	if e.Reserved {
		phase = fleet.Reserved
	}
	if e.Mend && !e.Reserved { // else it counts when the room is there
		w.Mends += mended(e.Spots)
	}
	if w.At() == nil {
		w.Passed = e.Passed
	}
	s.Place(w, s.Partition(e.Partition), e.Spots, phase, e.Holds)
}

// mended counts the nodes that are swapped in.
func mended(spots []fleet.Spot) int {
	on := map[int]bool{}
	for _, spot := range spots {
		for _, n := range spot.Nodes {
			on[n] = true
		}
	}
	return len(on)
}

func applyEvicted(s *fleet.State, w *fleet.Workload, e event.ReplicasEvicted, at fleet.Instant) {
	if e.Whole {
		w.WasEvicted(at)
	}
	w.GraceEnds, w.For = e.Until, e.For
	s.Leave(w, e.Spots)
	s.Order(w, e.For, at, e.Until)
}
