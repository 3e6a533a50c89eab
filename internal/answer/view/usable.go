package view

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Usable is what a quota could start now in one partition without evicting work
// of its own quota, in GPUs.
type Usable struct {
	Quota       string `json:"quota"`
	Partition   string `json:"partition"`
	Backed      int    `json:"backed"`
	Usage       int    `json:"usage"`
	Free        int    `json:"free"`              // guaranteed, all together, beside what is reserved
	Reserved    int    `json:"reserved"`          // for which a workload ahead holds a reservation
	LargestGang int    `json:"largestGang"`       // guaranteed, in one island
	Borrow      int    `json:"borrow"`            // that its tree could lend beyond that
	Waiting     int    `json:"waiting"`           // workloads that come first
	Nothing     string `json:"nothing,omitempty"` // why nothing new starts there now; "": it may
	UsableHolds
	Next        Next  `json:"next"`
	IslandNodes []int `json:"islandNodes"` // of its backing, whole nodes that its in-quota work does not touch, by island, the most first
	GPUsPerNode int   `json:"gpusPerNode"`
}

// UsableHolds are GPUs of holds inside the quota that no work uses.
type UsableHolds struct {
	HeldForYou int `json:"heldForYou"` // held for the asker inside the quota, and not used
	Held       int `json:"held"`       // held for others there, and not used: no part of the above
}

// UsableFlex is what a namespace could start now on one partition's flex, in GPUs.
type UsableFlex struct {
	Partition   string `json:"partition"`
	Flex        int    `json:"flex"`
	Free        int    `json:"free"`
	Reserved    int    `json:"reserved"`    // for which a workload ahead holds a reservation
	LargestGang int    `json:"largestGang"` // on free room, in one island
	Holds       int    `json:"holds"`
	Nothing     string `json:"nothing,omitempty"` // why nothing new starts there now; "": it may
	Share       int    `json:"share"`             // with what the namespace holds and waits for; of a newcomer, what it would be at most
	Waiting     int    `json:"waiting"`
	// Callable is the part of flex that quotas may call back at any moment:
	// backed and unscheduled. The rest stays flex while health and grants do.
	Callable    int   `json:"callable"`
	Next        Next  `json:"next"`
	IslandNodes []int `json:"islandNodes"` // whole nodes that are free, by island, the most first
	GPUsPerNode int   `json:"gpusPerNode"`
}

// Next is the first moment at which something is known to change; At is 0 where
// none is known.
type Next struct {
	At   fleet.Instant `json:"at"`
	What string        `json:"what"`
}

// UsableOf is what a reader could start now in a quota's account. That a quota is a private
// cluster of its backed nodes makes it a matter of counting: what the work that
// is there leaves of them. Where nothing new starts, nothing is usable. It uses the planner's scratch
// memory in the state, so no one else may use the state meanwhile.
func UsableOf(p *fleet.Partition, a *fleet.Account, by Reader, now fleet.Instant) Usable {
	u := Usable{Quota: a.Quota, Partition: p.ID, Backed: a.BackedGPUs(), Usage: a.Usage(), Next: by.Sees.nextEnd(a.Work(), now), GPUsPerNode: p.GPUsPerNode}
	count := a.Standing()
	u.HeldForYou, u.Held = count.Left(by.User, by.Namespace), count.Others(by.User, by.Namespace)
	for _, h := range a.InsideHolds() {
		if !h.Serves(by.User, by.Namespace) && count.LeftOf(h) > 0 && (u.Next.At == 0 || h.Until < u.Next.At) {
			u.Next = Next{h.Until, fmt.Sprintf("hold %d for %s ends", h.ID, h.Holder())}
		}
	}
	for _, it := range a.Queue() {
		if it.Pool == fleet.Base {
			u.Waiting++
		}
	}
	if u.Nothing = nothingStarts(p); u.Nothing != "" {
		return u
	}
	u.Free = max(0, a.BackedGPUs()-a.Stays()-u.Held)
	u.LargestGang = guaranteedGang(p, a, u.Free)
	if w := lastToLeave(p); w != nil && u.Free > 0 {
		u.Next = Next{w.GraceEnds, by.Sees.Name(w) + " has left"}
	}
	for i := range p.Islands {
		u.IslandNodes = append(u.IslandNodes, a.Backing[i]-a.Touched(i))
	}
	u.IslandNodes = mostFirst(u.IslandNodes)
	backed, stays := 0, 0
	for _, x := range p.Accounts {
		if x.Tree() == a.Tree() {
			backed, stays = backed+x.BackedGPUs(), stays+x.Stays()
		}
	}
	u.Borrow = max(0, backed-stays-u.Free)
	if u.Held > 0 {
		u.Borrow = max(0, min(u.Borrow, a.BackedGPUs()-a.Stays()-u.Held-u.Free+a.Lendable((*fleet.Account).Stays)))
	}
	u.reserve(p, a, now)
	return u
}

// reserve takes out what workloads ahead hold reservations for: a newcomer could delay them.
func (u *Usable) reserve(p *fleet.Partition, a *fleet.Account, now fleet.Instant) {
	pl := placement.New(p.State(), p, now)
	u.Reserved = pl.Reserved(a)
	u.Free = max(0, u.Free-u.Reserved)
	u.LargestGang = pl.GangBeside(a, min(u.LargestGang, u.Free))
	u.Borrow = max(0, u.Borrow-pl.ReservedToBorrow(a.Root()))
}

// UsableFlexOf is what a reader's namespace could start now on a partition's flex.
func UsableFlexOf(p *fleet.Partition, by Reader, now fleet.Instant) UsableFlex {
	row, own := NamespaceIn(p, by.Namespace), p.FlexOf(by.Namespace)
	u := UsableFlex{Partition: p.ID, Flex: p.Flex(), Holds: row.FlexUsed, Share: row.FlexShare, Next: by.Sees.nextEnd(p.FlexWork(), now), GPUsPerNode: p.GPUsPerNode}
	for _, it := range own.Queue() {
		if it.Pool == fleet.Base {
			u.Waiting++
		}
	}
	u.Share = max(u.Share, p.Flex()/max(1, others(p, by.Namespace)+1))
	for _, q := range QuotasIn(p) {
		u.Callable += max(0, q.Unscheduled-q.Lent)
	}
	u.Callable = min(u.Callable, u.Flex)
	if u.Nothing = nothingStarts(p); u.Nothing != "" {
		return u
	}
	for _, island := range p.Islands {
		gang := 0
		for _, n := range island.Nodes() {
			free := FreeOn(p.Nodes[n]) // what leaves may be promised already: it is taken away once, where it is
			u.Free += free
			if free == p.GPUsPerNode {
				gang += free
			}
		}
		u.LargestGang = max(u.LargestGang, gang)
		u.IslandNodes = append(u.IslandNodes, gang/p.GPUsPerNode)
	}
	u.IslandNodes = mostFirst(u.IslandNodes)
	pl := placement.New(p.State(), p, now)
	u.Reserved = pl.ReservedOnFlex(by.Namespace) + keptOfFree(p, pl.KeptFromFlex(by.Namespace))
	u.Free = max(0, u.Free-u.Reserved)
	u.LargestGang = pl.FlexGangBeside(by.Namespace, min(u.LargestGang, u.Free))
	return u
}

// keptOfFree is how many GPUs that are free now are kept: of each node what does not fit into what leaves there.
func keptOfFree(p *fleet.Partition, kept map[int]int) (gpus int) {
	for node, n := range kept {
		x := p.Nodes[node]
		gpus += max(0, n-(x.Counted()-x.Staying()-FreeOn(x)))
	}
	return gpus
}

// lastToLeave is the workload that leaves last of those that leave within their
// grace: until then a workload that may start may have to wait. nil: none leaves.
func lastToLeave(p *fleet.Partition) (last *fleet.Workload) {
	for _, w := range p.Leaving() {
		if !w.Overdue() && (last == nil || w.GraceEnds > last.GraceEnds) {
			last = w
		}
	}
	return last
}

// mostFirst sorts counts downwards and leaves out those of nothing.
func mostFirst(counts []int) []int {
	counts = slices.DeleteFunc(counts, func(n int) bool { return n <= 0 })
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	return counts
}

// others counts the other namespaces that use flex or wait for it.
func others(p *fleet.Partition, namespace string) int {
	n := 0
	for _, name := range p.Namespaces() {
		if u := p.FlexOf(name); name != namespace && u.Demand() > 0 {
			n++
		}
	}
	return n
}

// nothingStarts says why nothing new starts in a partition now; "": it may.
func nothingStarts(p *fleet.Partition) string {
	c := p.State().Cluster(p.Cluster)
	switch {
	case c != nil && c.Stale:
		return "the reports of cluster " + c.Name + " have stopped"
	case c != nil && c.Mode != fleet.Enforce:
		return "cluster " + c.Name + " is in mode " + string(c.Mode)
	}
	return p.Halted()
}

// starts says whether anything new starts in a partition now.
func starts(p *fleet.Partition) bool { return nothingStarts(p) == "" }

// nextEnd is the next moment at which some work must have ended, as declared.
func (sees Sees) nextEnd(work []*fleet.Workload, now fleet.Instant) Next {
	var next Next
	for _, w := range work {
		if w.Leaves() && w.GraceEnds > now && (next.At == 0 || w.GraceEnds < next.At) {
			next = Next{w.GraceEnds, sees.Name(w) + " has left"}
		}
		if w.MaxRuntime == 0 || w.Started == 0 || w.Leaves() {
			continue
		}
		if at := w.Started.Add(w.MaxRuntime); at > now && (next.At == 0 || at < next.At) {
			next = Next{at, sees.Name(w) + " ends"}
		}
	}
	return next
}
