package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of §3: quota stands on nodes.
var backingLaws = []Law{
	{"never-overpromise", "backing in an island is at most its whole healthy nodes, and in all at most what is promisable (§3.1)", eachPart(overpromise)},
	{"gangs-in-own-share", "declared gangs that are backed fit their islands' own shares (§3.1)", eachPart(gangsInShare)},
	{"backed-within-grant", "backing is at most the grant, in whole nodes (§3.2)", eachPart(withinGrant)},
	{"gang-flag", "a declared gang that no island backs whole is flagged, and no other (§3.3)", eachPart(gangFlag)},
	{"all-is-backed", "everything promisable that is granted in whole nodes is backed (§3.5)", eachPart(allBacked)},
	{"shared-fairly", "loose grants that do not all fit are backed by highest averages (§3.5)", eachPart(fairly)},
	{"one-gang-fits", "a single declared gang that an island's own share takes is backed there (§3.3)", eachPart(oneGang)},
	{"idle-in-one-piece", "idle loose backing moves into one island that can take it whole (§3.6)", eachPart(onePiece)},
	{"backing-stays", "backing under running guaranteed work moves only when promisable falls or people change something (§3.4)", eachPart(stays)},
	{"promisable-is-least", "promisable is at most the whole healthy nodes and what the policy allows now (§2)", eachPart(leastNow)},
}

func (p *Part) whole() []int {
	whole := make([]int, len(p.Islands))
	for _, n := range p.Nodes {
		if n.Whole() {
			whole[n.Island]++
		}
	}
	return whole
}

func (p *Part) backed() (perIsland []int, sum int) {
	perIsland = make([]int, len(p.Islands))
	for _, q := range p.Quotas {
		for i, n := range q.Backing {
			perIsland[i] += n
			sum += n
		}
	}
	return perIsland, sum
}

func overpromise(_ Moment, p *Part, s *said) {
	if p.Stale {
		return // its last backing stays
	}
	per, sum := p.backed()
	if sum > p.Promised {
		s.add("%s: %d nodes back quotas, %d are promisable", p.ID, sum, p.Promised)
	}
	for i, whole := range p.whole() {
		if per[i] > whole {
			s.add("%s/%s: %d nodes back quotas, %d are whole and healthy", p.ID, p.Islands[i], per[i], whole)
		}
	}
}

// inOnePiece is the island that backs a quota's declared gang; -1: none does.
func (p *Part) inOnePiece(q Quota) int {
	for i, n := range q.Backing {
		if q.Gang > 0 && n*p.PerNode >= q.Gang {
			return i
		}
	}
	return -1
}

func gangsInShare(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	gangs := make([]int, len(p.Islands))
	for _, q := range p.Quotas {
		if i := p.inOnePiece(q); i >= 0 && !q.Unbacked {
			gangs[i] += q.Gang / p.PerNode
		}
	}
	two := slices.ContainsFunc(p.Quotas, func(q Quota) bool { // it may be meant in another island
		n := 0
		for _, b := range q.Backing {
			if q.Gang > 0 && b*p.PerNode >= q.Gang {
				n++
			}
		}
		return n > 1
	})
	for i, own := range p.Own {
		if gangs[i] > own && !two {
			s.add("%s/%s: gangs of %d nodes are backed, its own share is %d", p.ID, p.Islands[i], gangs[i], own)
		}
	}
}

func withinGrant(_ Moment, p *Part, s *said) {
	for _, row := range p.Rows {
		if row.Backed > row.Assigned {
			s.add("%s: backed %d of %d assigned", row.Quota, row.Backed, row.Assigned)
		}
		sum := 0
		for _, gpus := range row.Islands {
			sum += gpus
			if gpus%p.PerNode != 0 {
				s.add("%s: %d GPUs back it in an island: no whole nodes", row.Quota, gpus)
			}
		}
		if sum != row.Backed {
			s.add("%s: backed %d, in its islands %d", row.Quota, row.Backed, sum)
		}
	}
}

func gangFlag(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	for _, q := range p.Quotas {
		if whole := p.inOnePiece(q) >= 0; q.Gang > 0 && whole == q.Unbacked {
			if whole && !q.Unbacked || !whole {
				s.add("%s declares a gang of %d, is backed by %v nodes, flagged %v", q.Path, q.Gang, q.Backing, q.Unbacked)
			}
		} else if q.Gang == 0 && q.Unbacked {
			s.add("%s declares no gang and is flagged", q.Path)
		}
	}
}

func allBacked(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	granted, waits := 0, 0
	for _, q := range p.Quotas {
		granted += q.Grant / p.PerNode
		waits += p.waitsForIsland(q)
	}
	if _, sum := p.backed(); sum+waits < min(granted, p.Promised) {
		s.add("%s: %d nodes back quotas; %d are granted whole, %d are promisable", p.ID, sum, granted, p.Promised)
	}
}

// waitsForIsland is how many nodes of a quota may wait for the island where its first work
// stands, rather than move under other work of its own (§3.3, which comes before §3.5).
func (p *Part) waitsForIsland(q Quota) int {
	islands, nodes := 0, 0
	for i, n := range p.touched(p.of(func(u Unit) bool { return u.Job.Target == q.Path })).perIsland(p) {
		if n > q.Backing[i] {
			islands, nodes = islands+1, nodes+n-q.Backing[i]
		}
	}
	if islands < 2 {
		return 0
	}
	return max(0, min(nodes, q.Grant/p.PerNode-q.Backed()))
}

// runsOn is how many nodes a quota's work touches.
func (p *Part) runsOn(quota string) int {
	return len(p.touched(p.of(func(u Unit) bool { return u.Job.Target == quota })))
}

// fairly looks where no quota declares a gang or runs on more nodes than its part:
// there the rule has one result.
func fairly(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	want := highestAverages(p)
	for i, q := range p.Quotas {
		if q.Gang > 0 || q.Grant%p.PerNode != 0 || p.runsOn(q.Path) > want[i] {
			return
		}
	}
	for i, q := range p.Quotas {
		if q.Backed() != want[i] {
			s.add("%s: %d nodes back it, by highest averages %d do", q.Path, q.Backed(), want[i])
		}
	}
}

func highestAverages(p *Part) []int {
	got := make([]int, len(p.Quotas))
	for left := p.Promised; left > 0; left-- {
		best := -1
		for i, q := range p.Quotas {
			size := q.Grant / p.PerNode
			if got[i] < size && (best < 0 || size*(2*got[best]+1) > p.Quotas[best].Grant/p.PerNode*(2*got[i]+1)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		got[best]++
	}
	return got
}

// oneGang looks where one quota declares a gang and no other's gang runs.
func oneGang(_ Moment, p *Part, s *said) {
	var only *Quota
	for i, q := range p.Quotas {
		if q.Gang == 0 {
			if p.runsOn(q.Path) > 0 {
				return
			}
			continue
		}
		if only != nil {
			return
		}
		only = &p.Quotas[i]
	}
	if only == nil || p.Stale || !only.Unbacked || p.works(only.Path) {
		return
	}
	for i, own := range p.Own {
		if own*p.PerNode >= only.Gang && p.movable(only.Path, i) >= only.Gang/p.PerNode && only.Gang <= p.Promised*p.PerNode {
			s.add("%s: its gang of %d is flagged, %s could back %d nodes in one piece", only.Path, only.Gang, p.Islands[i], own)
		}
	}
}

// movable is an island's whole nodes that do not back running work of others.
func (p *Part) movable(quota string, island int) int {
	busy := map[int]bool{}
	for _, u := range p.Units {
		if p.Nodes[u.Node].Island == island && !u.Job.Flexes() && u.Job.Target != quota {
			busy[u.Node] = true
		}
	}
	return p.whole()[island] - len(busy)
}

func onePiece(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	per, _ := p.backed()
	whole := p.whole()
	for _, q := range p.Quotas {
		if q.Gang > 0 || pieces(q) < 2 || p.works(q.Path) {
			continue
		}
		for i := range p.Islands {
			if free := min(whole[i], p.Own[i]) - (per[i] - q.Backing[i]); free >= q.Backed() {
				s.add("%s is idle and backed by %v nodes; %s could take all of it", q.Path, q.Backing, p.Islands[i])
			}
		}
	}
}

func pieces(q Quota) int {
	n := 0
	for _, b := range q.Backing {
		if b > 0 {
			n++
		}
	}
	return n
}

// works says whether anything of a quota stands here, or of its siblings, whose
// borrowing work may stand in its backing.
func (p *Part) works(quota string) bool {
	return slices.ContainsFunc(p.Units, func(u Unit) bool { return u.Job.Tree == fleet.TreeOf(quota) })
}

// changed says whether people changed a grant, a policy or nodes by this record.
func (m Moment) changed() bool {
	for _, e := range m.Record.Events {
		switch e.(type) {
		case event.GrantSet, event.GrantTransferred, event.PolicySet, event.BufferSet, event.BufferCleared, event.IslandAdded, event.NodesAdded, event.HoldPlaced, event.HoldEnded, event.QuotaDeleted, event.ReportsResumed:
			return true
		}
	}
	return false
}

// fell says whether less can be promised of a partition than before: in all, or in an island.
func (m Moment) fell(p *Part) bool {
	was := m.Before.Part(p.ID)
	if was == nil || was.Promised > p.Promised || was.Stale != p.Stale {
		return true
	}
	before := was.whole()
	for i, whole := range p.whole() {
		if i >= len(before) || before[i] > whole || was.Own[i] > p.Own[i] {
			return true
		}
	}
	return false
}

// dipEnds says whether a node came back from suspect straight to healthy by this record: what
// stood before it left stands again, for that leaves no trace (§2).
func (m Moment) dipEnds() bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		n, ok := e.(event.NodeChanged)
		return ok && n.From == fleet.Suspect && n.To == fleet.Healthy
	})
}

func stays(m Moment, p *Part, s *said) {
	if m.changed() || m.fell(p) || p.Stale || m.dipEnds() {
		return
	}
	was := m.Before.Part(p.ID)
	for _, q := range p.Quotas {
		old := was.Quota(q.Path)
		if old == nil || m.unfit(func(j *Job) bool { return j.Target == q.Path }) {
			continue
		}
		for i := range q.Backing {
			stood := was.guaranteedNodes(q.Path, i)
			stand := p.guaranteedOf(m, q.Path, i)
			if q.Backing[i] < old.Backing[i] && q.Backing[i] < min(len(stood), stand) {
				s.add("%s: backing in %s went from %d to %d nodes under %d nodes of guaranteed work", q.Path, p.Islands[i], old.Backing[i], q.Backing[i], len(stood))
			}
		}
	}
}

// guaranteedNodes is the nodes of an island with guaranteed work of a quota.
func (p *Part) guaranteedNodes(quota string, island int) map[int]bool {
	nodes := map[int]bool{}
	for _, u := range p.Units {
		if u.Job.Target == quota && u.Holds == fleet.HoldsGuaranteed && u.Stays() && p.Nodes[u.Node].Island == island {
			nodes[u.Node] = true
		}
	}
	return nodes
}

// guaranteedOf counts the nodes on which work that was guaranteed stands still.
func (p *Part) guaranteedOf(m Moment, quota string, island int) int {
	still := map[int]bool{}
	for _, u := range m.Before.Part(p.ID).Units {
		now := m.After.Job(u.Job.ID)
		if u.Job.Target != quota || u.Holds != fleet.HoldsGuaranteed || !u.Stays() || p.Nodes[u.Node].Island != island || now == nil || now.At != p.ID {
			continue
		}
		if slices.ContainsFunc(now.Units, func(v Unit) bool { return v.Pool == u.Pool && v.Node == u.Node && v.Stays() }) {
			still[u.Node] = true
		}
	}
	return len(still)
}

func leastNow(_ Moment, p *Part, s *said) {
	if p.Stale || p.Buffers == nil {
		return
	}
	allowed, whole := 0, 0
	for i, n := range p.whole() {
		whole += n
		allowed += (1000 - p.Buffers[i]) * p.installed(i)
		if own := (1000 - p.Buffers[i]) * p.installed(i) / 1000; p.Own[i] > min(own, n) {
			s.add("%s/%s: own share %d of %d whole nodes, the policy allows %d", p.ID, p.Islands[i], p.Own[i], n, own)
		}
	}
	if most := min(whole, allowed/1000); p.Promised > most {
		s.add("%s: %d nodes are promisable, at most %d may be", p.ID, p.Promised, most)
	}
}

func (p *Part) installed(island int) int {
	t := 0
	for _, n := range p.Nodes {
		if n.Island == island && n.State != fleet.Retired {
			t++
		}
	}
	return t
}
