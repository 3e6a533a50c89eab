package api

import (
	"context"
	"fmt"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Capacity is the figures of each partition, and their sums.
func (s capacityService) Capacity(ctx context.Context, m *musterv1.CapacityRequest) (*musterv1.CapacityResponse, error) {
	out := &musterv1.CapacityResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		return capacity(out, state, m, callerOf(ctx).seesIn, at)
	})
	out.Seen = seen
	return out, err
}

// capacity fills in the rows of the partitions that a scope names, with the sums
// over those clusters that it takes in whole.
func capacity(out *musterv1.CapacityResponse, s *fleet.State, m *musterv1.CapacityRequest, named wire.SeesIn, at fleet.Instant) error {
	scope := m.GetScope()
	list, err := partitions(s, scope)
	if err != nil {
		return err
	}
	all, chosen := view.CapacityAt(s, at), map[string]bool{}
	for _, p := range list {
		chosen[p.ID] = true
	}
	for i, p := range s.Partitions {
		if chosen[p.ID] {
			row := wire.PartitionCapacity(s, p, all.Partitions[i], named, at)
			if !m.GetWithoutIslands() {
				row.Islands = wire.IslandCapacities(p)
			}
			out.Partitions = append(out.Partitions, row)
		}
	}
	for _, c := range all.Clusters {
		if scope == "" || scope == c.Cluster {
			out.Clusters = append(out.Clusters, &musterv1.ClusterCapacity{Cluster: c.Cluster, Mode: string(c.Mode), Figures: wire.Figures(c.Figures), Stale: c.Stale})
		}
	}
	if scope == "" {
		out.Fleet = wire.Figures(all.Fleet)
	}
	return nil
}

// Flex is each partition's flex, and what each namespace has of it.
func (s capacityService) Flex(ctx context.Context, m *musterv1.FlexRequest) (*musterv1.FlexResponse, error) {
	out, c := &musterv1.FlexResponse{}, callerOf(ctx)
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		for _, p := range list {
			out.Pools = append(out.Pools, wire.FlexPool(p, c.seesNamespace(p.Cluster)))
		}
		return err
	})
	out.Seen = seen
	return out, err
}

// Free is the room that is neither held nor reserved.
func (s capacityService) Free(ctx context.Context, m *musterv1.FreeRequest) (*musterv1.FreeResponse, error) {
	out := &musterv1.FreeResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		for _, p := range list {
			out.Islands = append(out.Islands, wire.FreeIslands(p)...)
		}
		return err
	})
	out.Seen = seen
	return out, err
}

// mostTight is of how many nodes of a partition it is told for which pods they are tight.
const mostTight = 100

// Nodes lists nodes.
func (s capacityService) Nodes(ctx context.Context, m *musterv1.NodesRequest) (*musterv1.NodesResponse, error) {
	out, c := &musterv1.NodesResponse{}, callerOf(ctx)
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		scope, only := island(m.GetScope())
		list, err := partitions(state, scope)
		if err != nil {
			return err
		}
		wants, err := wanted(m, state, list, only)
		if err != nil {
			return err
		}
		for _, p := range list {
			rows := wire.Nodes(p, wants, c.reads(state))
			if len(m.GetNames()) > 0 {
				wire.Tight(p, rows[:min(len(rows), mostTight)], c.seesIn(p))
			}
			out.Nodes = append(out.Nodes, rows...)
		}
		out.Banners = wire.Banners(list, c.seesIn)
		return nil
	})
	out.Seen = seen
	return out, err
}

// wanted says which nodes of some partitions a question is about; a name or an
// island that is not there is refused.
func wanted(m *musterv1.NodesRequest, state *fleet.State, list []*fleet.Partition, only string) (func(*fleet.Partition, *fleet.Node) bool, error) {
	for _, p := range list {
		if _, ok := p.Island(only); only != "" && !ok {
			return nil, noIsland(p, only)
		}
	}
	names := map[string]bool{}
	for _, name := range m.GetNames() {
		full := state.NodesNamed(name)
		for _, one := range full {
			names[one] = true
		}
		there := func(one string) bool {
			return slices.ContainsFunc(list, func(p *fleet.Partition) bool { _, ok := p.Node(one); return ok })
		}
		if !slices.ContainsFunc(full, there) {
			return nil, &core.Refusal{Code: core.NoSuchNode, Message: fmt.Sprintf("no node is named %.80q; %s", name, core.MeantNode(state, name))}
		}
	}
	return func(p *fleet.Partition, n *fleet.Node) bool {
		return (len(names) == 0 || names[n.Name]) && (only == "" || p.Islands[n.Island].Name == only) && in(n.State, m.GetStates())
	}, nil
}

func noIsland(p *fleet.Partition, name string) error {
	return &core.Refusal{Code: core.NoSuchIsland, Message: "partition " + p.ID + " has no island " + name + "; muster free shows those it has"}
}
