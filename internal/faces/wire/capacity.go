package wire

import (
	"cmp"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// PartitionCapacity is a partition's row of capacity, without its islands. Its banners name work that may be named.
func PartitionCapacity(s *fleet.State, p *fleet.Partition, row view.Partition, named SeesIn, at fleet.Instant) *musterv1.PartitionCapacity {
	_, held := s.Held(p.ID, "", at)
	return &musterv1.PartitionCapacity{
		Partition: row.Partition, Figures: Figures(row.Figures), Stale: row.Stale, Held: int32(held),
		Incidents: s.OpenIncidents(p), Banners: PartitionBanners(p, named),
	}
}

// Figures is the figures of capacity, in GPUs.
func Figures(f view.Figures) *musterv1.Figures {
	return &musterv1.Figures{
		Installed: int32(f.Installed), Healthy: int32(f.Healthy), Usable: int32(f.Usable), Stranded: int32(f.Stranded),
		Promisable: int32(f.Promisable), Sustainable: int32(f.Sustainable),
		Assigned: int32(f.Assigned), Backed: int32(f.Backed), Unbacked: int32(f.Unbacked), Unallocated: int32(f.Unallocated),
		Scheduled: int32(f.Scheduled), Unscheduled: int32(f.Unscheduled), Borrowed: int32(f.Borrowed), Over: int32(f.Over),
		Flex: int32(f.Flex), FlexUsed: int32(f.FlexUsed), LargestGang: int32(f.LargestGang), Idle: int32(f.Idle), Measured: int32(f.Measured), GangsUnbacked: int32(f.GangsUnbacked),
	}
}

// IslandCapacities is a partition's islands with what each has and backs: Whole and OwnShare in nodes, the rest in GPUs.
func IslandCapacities(p *fleet.Partition) []*musterv1.IslandCapacity {
	rows := make([]*musterv1.IslandCapacity, len(p.Islands))
	for i, island := range p.Islands {
		rows[i] = &musterv1.IslandCapacity{
			Island: island.Name, Racks: int32(island.Racks), Nodes: int32(len(island.Nodes())),
			Whole: int32(island.Whole()), OwnShare: int32(island.Share),
		}
		for _, a := range p.Accounts {
			rows[i].Backed += int32(a.Backing[i] * p.GPUsPerNode)
		}
	}
	for _, n := range p.Nodes {
		rows[n.Island].Free += int32(view.FreeOn(n))
		rows[n.Island].Usable += int32(n.UsableGPUs())
	}
	return rows
}

// FlexPool is a partition's flex, with the use and share in GPUs of each namespace that may be named; the
// others are told together.
func FlexPool(p *fleet.Partition, may func(namespace string) bool) *musterv1.FlexPool {
	pool := &musterv1.FlexPool{Partition: p.ID, Flex: int32(p.Flex()), Used: int32(p.Tally().FlexUsed)}
	for _, name := range p.Namespaces() {
		row := view.NamespaceIn(p, name)
		one := &musterv1.NamespaceFlex{
			Namespace: name, Used: int32(row.FlexUsed), Share: int32(row.FlexShare), Waiting: int32(p.FlexOf(name).WaitsToStart()),
		}
		if may(name) {
			pool.Namespaces = append(pool.Namespaces, one)
			continue
		}
		pool.OtherNamespaces++
		pool.Others = together(pool.GetOthers(), one)
	}
	return pool
}

// together is what several namespaces have.
func together(all, one *musterv1.NamespaceFlex) *musterv1.NamespaceFlex {
	return &musterv1.NamespaceFlex{Used: all.GetUsed() + one.GetUsed(), Share: all.GetShare() + one.GetShare(), Waiting: all.GetWaiting() + one.GetWaiting()}
}

// FreeIslands is what is free in each island of a partition.
func FreeIslands(p *fleet.Partition) []*musterv1.FreeIsland {
	rows := make([]*musterv1.FreeIsland, len(p.Islands))
	for i, island := range p.Islands {
		rows[i] = &musterv1.FreeIsland{Partition: p.ID, Island: island.Name, NodesByFree: map[int32]int32{}}
	}
	for _, n := range p.Nodes {
		row, free := rows[n.Island], int32(view.FreeOn(n))
		row.Free += free
		switch {
		case free > 0 && len(n.Residents()) == 0:
			row.FreeNodes++
		case free > 0:
			row.NodesByFree[free]++
		}
	}
	return rows
}

// Nodes are the wanted nodes of a partition, in order of island and name, with the names of the work
// that the reader may read.
func Nodes(p *fleet.Partition, wants func(*fleet.Partition, *fleet.Node) bool, sees view.Sees) []*musterv1.Node {
	var rows []*musterv1.Node
	for i, n := range p.Nodes {
		if wants(p, n) {
			one := node(view.NodeRow(p, n, sees), n)
			for _, h := range view.HeldOn(p, i) {
				one.Held = append(one.Held, &musterv1.NodeHeld{Holds: h.Holds, Target: h.Target, Gpus: int32(h.GPUs)})
			}
			rows = append(rows, one)
		}
	}
	slices.SortFunc(rows, func(a, b *musterv1.Node) int {
		return cmp.Or(cmp.Compare(a.GetIsland(), b.GetIsland()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return rows
}

// Tight adds to nodes of a partition for which pods they have too little of something beside GPUs. may says
// which work and pods, namespace/name, the reader may be told of.
func Tight(p *fleet.Partition, rows []*musterv1.Node, may func(name string) bool) {
	asks := explain.AsksIn(p.State(), p)
	for _, row := range rows {
		i, _ := p.Node(row.GetName())
		list, more := asks.TightFor(p, i)
		for _, t := range list {
			t = t.To(may)
			row.Tight = append(row.Tight, &musterv1.NodeTight{
				Footprint: t.Footprint, Takes: int32(t.Takes), Of: int32(t.Of), Empty: int32(t.Empty), Text: t.String(),
				Workloads: t.Work, Pods: t.Pods, AskedBy: t.Asked,
			})
		}
		row.TightMore = int32(more)
	}
}

func node(row view.Node, n *fleet.Node) *musterv1.Node {
	out := &musterv1.Node{
		Name: row.Node, Partition: row.Partition, Island: row.Island, Rack: int32(row.Rack),
		Gpus: int32(row.GPUs), Dead: int32(row.Dead), State: string(row.State), Signal: row.Signal,
		Since: Instant(row.Since), Free: int32(row.Free), Workloads: row.Workloads, Others: int32(row.Others),
	}
	if owner := n.Owner(); owner != nil {
		out.Quota = owner.Quota
	}
	return out
}

// UsableQuota is what a reader can use of a quota now; q is the quota, nil where it is gone.
// signIn is whether callers sign in.
func UsableQuota(u view.Usable, q *fleet.Quota, signIn bool) *musterv1.UsableQuota {
	return &musterv1.UsableQuota{
		Quota: u.Quota, Partition: u.Partition, Backed: int32(u.Backed), Usage: int32(u.Usage), Free: int32(u.Free),
		LargestGang: int32(u.LargestGang), Reserved: int32(u.Reserved), Borrow: int32(u.Borrow), Waiting: int32(u.Waiting),
		Next: Instant(u.Next.At), NextWhat: u.Next.What, HeldForYou: int32(u.HeldForYou), Held: int32(u.Held),
		IslandNodes: int32s(u.IslandNodes), GpusPerNode: int32(u.GPUsPerNode), Open: q != nil && q.Access.Open(signIn),
		Closed: q != nil && q.Access.Closed(signIn), StartsNothing: u.Nothing,
	}
}

// UsableFlex is what a namespace can use of flex now.
func UsableFlex(u view.UsableFlex) *musterv1.UsableFlex {
	return &musterv1.UsableFlex{
		Partition: u.Partition, Flex: int32(u.Flex), Free: int32(u.Free), LargestGang: int32(u.LargestGang),
		Reserved: int32(u.Reserved), Holds: int32(u.Holds), Share: int32(u.Share), Waiting: int32(u.Waiting), Callable: int32(u.Callable),
		Next: Instant(u.Next.At), NextWhat: u.Next.What, StartsNothing: u.Nothing,
		IslandNodes: int32s(u.IslandNodes), GpusPerNode: int32(u.GPUsPerNode),
	}
}
