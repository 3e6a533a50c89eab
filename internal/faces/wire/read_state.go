package wire

import (
	"maps"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadState makes a state of a fleet and its quotas as the API tells them: all that a
// fleet file can speak of, and no more. It fails on figures that no server sends.
func ReadState(f *musterv1.GetFleetResponse, quotas []*musterv1.Quota) (*fleet.State, error) {
	s := fleet.NewState()
	if err := readPolicies(s, f); err != nil {
		return nil, err
	}
	for _, c := range f.GetClusters() {
		targets, err := readTargets("targets", fleet.Targets{}, c.GetTargets())
		if err != nil {
			return nil, err
		}
		s.AddCluster(fleet.Cluster{Name: c.GetName(), Mode: fleet.Mode(c.GetMode()), Targets: targets})
		for _, p := range c.GetPartitions() {
			s.AddPartition(c.GetName(), p.GetGpu(), int(p.GetGpusPerNode()))
			readIslands(s.Partition(p.GetId()), p.GetIslands())
		}
	}
	for _, q := range quotas {
		readQuota(s, q)
	}
	return s, nil
}

// readPolicies reads what holds for the whole fleet, and the buffers of its parts in order of
// their scopes, so that of several that are wrong the same one is always named.
func readPolicies(s *fleet.State, f *musterv1.GetFleetResponse) error {
	policy, err := readPolicy(fleet.Policy{}, f.GetPolicy())
	if err != nil {
		return err
	}
	s.Policy = policy
	for _, scope := range slices.Sorted(maps.Keys(f.GetBuffers())) {
		b, err := ReadBuffer("buffers["+scope+"]", f.GetBuffers()[scope])
		if err != nil {
			return err
		}
		s.SetBuffer(scope, b)
	}
	if f.GetHealth() == nil {
		return nil
	}
	health, err := readHealthPolicy(fleet.DefaultHealth(), f.GetHealth())
	if err != nil {
		return err
	}
	s.SetHealthPolicy(health)
	return nil
}

// readIslands adds islands and their nodes. In which rack a node stands, and since when, the API
// does not tell, and no fleet file says: all stand in the first rack since the beginning.
func readIslands(p *fleet.Partition, islands []*musterv1.Island) {
	const rack, since = 0, 0
	for _, i := range islands { // all before the first node: a later one would move nodes along
		p.AddIsland(i.GetName(), int(i.GetRacks()))
	}
	for _, i := range islands {
		at, _ := p.Island(i.GetName())
		for _, name := range i.GetNodes() {
			p.AddNode(name, at, rack, since)
		}
	}
}

// readQuota adds a quota with its grants, except those in partitions that the fleet does not name.
func readQuota(s *fleet.State, q *musterv1.Quota) {
	s.AddQuota(fleet.Quota{Path: q.GetPath(), Access: ReadAccess(q.GetAccess()), Owner: q.GetOwner()})
	for _, g := range q.GetGrants() {
		if p := s.Partition(g.GetPartition()); p != nil {
			p.SetGrant(q.GetPath(), int(g.GetAssigned()), int(g.GetGang()), slices.Contains(g.GetFlags(), "Overcommitted"))
			if t := g.GetTemporary(); t != nil {
				until, _ := ReadInstant("until", t.GetUntil()) // the server's own figures
				p.SetTemporary(q.GetPath(), fleet.Temporary{GPUs: int(t.GetGpus()), Until: until, Gang: int(t.GetGang()), By: t.GetBy(), Reason: t.GetReason()})
			}
		}
	}
}
