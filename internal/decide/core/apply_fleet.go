package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

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
