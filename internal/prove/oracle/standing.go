package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of how work stands and holds its GPUs.
var standingLaws = []Law{
	{"runs-on-metal", "nothing stays on a node that is neither usable nor suspect (§10.2)", eachPart(onMetal)},
	{"gang-whole", "a gang is whole and within its reach, being mended, or not running (§10.3)", eachPart(gangWhole)},
	{"guaranteed-in-backing", "guaranteed work touches no more nodes of an island than back its quota there, and is no more than is backed (§3)", eachPart(inBacking)},
	{"tree-in-backing", "a tree's in-quota work touches no more nodes of an island than back the tree there (§3)", eachPart(treeInBacking)},
	{"one-quota-per-node", "a node carries in-quota work of one quota only (§3)", eachPart(oneQuota)},
	{"covered-is-guaranteed", "where all of a quota's work stands inside its backing all of it is guaranteed (§5)", eachPart(covered)},
	{"important-is-guaranteed", "units are guaranteed in the quota's order: importance, then age (§5)", eachPart(inOrder)},
	{"admission-unprotects-nobody", "only a fall in backing or a changed grant makes work unprotected (§3.4)", eachPart(unprotects)},
	{"silence-moves-nobody", "where reports are stale nothing starts, and nothing is evicted (§2)", eachPart(silence)},
	{"stays-in-partition", "a workload never leaves its partition while it runs (§5)", leaves},
	{"dip-leaves-no-trace", "a node that comes back from suspect straight to healthy leaves no trace (§2, hard case 3)", nil},
}

func onMetal(_ Moment, p *Part, s *said) {
	for _, u := range p.Units {
		if n := p.Nodes[u.Node]; u.Stays() && n.Usable() == 0 && n.State != fleet.Suspect {
			s.add("%s of %s stays on %s, which is %s", u.Job.Pools[u.Pool].Name, u.Job.Name, n.Name, n.State)
		}
		if n := p.Nodes[u.Node]; u.Phase == fleet.Reserved && n.Usable() == 0 && !p.Stale {
			s.add("room is reserved for %s on %s, which is %s", u.Job.Name, n.Name, n.State)
		}
	}
}

func gangWhole(m Moment, p *Part, s *said) {
	for _, j := range m.After.Jobs {
		if j.At != p.ID || j.State != fleet.RunningW && j.State != fleet.Starting {
			continue
		}
		for i, pool := range j.Pools {
			n := j.Count(i)
			switch {
			case n > pool.Max || n < pool.Min && (n > 0 || pool.Rank == j.Base()) && (!pool.Elastic || j.State == fleet.Starting):
				s.add("%s is %s, its pool %s has %d of %d..%d replicas", j.Name, j.State, pool.Name, n, pool.Min, pool.Max)
			case !pool.Elastic && pool.Min > 1 && !p.within(j, i):
				s.add("%s: its gang %s is not within its reach (%s)", j.Name, pool.Name, pool.Reach)
			}
		}
	}
}

func (p *Part) within(j *Job, pool int) bool {
	first := -1
	for _, u := range j.Units {
		if u.Pool != pool || !u.Stays() {
			continue
		}
		if first < 0 {
			first = u.Node
		}
		a, b := p.Nodes[first], p.Nodes[u.Node]
		switch j.Pools[pool].Reach {
		case fleet.ReachRack:
			if a.Island != b.Island || a.Rack != b.Rack {
				return false
			}
		case fleet.ReachIsland:
			if a.Island != b.Island {
				return false
			}
		}
	}
	return true
}

// of picks units.
func (p *Part) of(pick func(Unit) bool) []Unit {
	var list []Unit
	for _, u := range p.Units {
		if pick(u) {
			list = append(list, u)
		}
	}
	return list
}

func inBacking(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	for _, q := range p.Quotas {
		units := p.of(func(u Unit) bool { return u.Job.Target == q.Path && u.Stays() && u.Holds == fleet.HoldsGuaranteed })
		t := p.touched(units)
		gpus := 0
		for _, u := range units {
			gpus += u.GPUs()
		}
		if gpus > q.Backed()*p.PerNode {
			s.add("%s: %d GPUs are guaranteed, %d backed", q.Path, gpus, q.Backed()*p.PerNode)
		}
		for i, n := range t.perIsland(p) {
			if n > q.Backing[i] {
				s.add("%s: guaranteed work touches %d nodes of %s, %d back it there", q.Path, n, p.Islands[i], q.Backing[i])
			}
		}
	}
}

// trees lists the trees with anything here, and the nodes that back each.
func (p *Part) trees() (names []string, backing map[string][]int) {
	backing = map[string][]int{}
	for _, q := range p.Quotas {
		if backing[q.Tree] == nil {
			backing[q.Tree] = make([]int, len(p.Islands))
			names = append(names, q.Tree)
		}
		for i, n := range q.Backing {
			backing[q.Tree][i] += n
		}
	}
	return names, backing
}

func treeInBacking(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	names, backing := p.trees()
	for _, tree := range names {
		units := p.of(func(u Unit) bool {
			return u.Job.Tree == tree && u.Stays() && (u.Holds == fleet.HoldsGuaranteed || u.Holds == fleet.HoldsBorrowing)
		})
		for i, n := range p.touched(units).perIsland(p) {
			if n > backing[tree][i] {
				s.add("tree %s: its work touches %d nodes of %s, %d back it there", tree, n, p.Islands[i], backing[tree][i])
			}
		}
	}
}

func oneQuota(_ Moment, p *Part, s *said) {
	owner := map[int]Unit{}
	for _, u := range p.Units {
		if u.Job.Flexes() || !u.Stays() {
			continue
		}
		if first, ok := owner[u.Node]; ok && first.Job.Target != u.Job.Target {
			s.add("%s carries %s of %s and %s of %s", p.Nodes[u.Node].Name, first.Job.Name, first.Job.Target, u.Job.Name, u.Job.Target)
		}
		owner[u.Node] = u
	}
}

// covered asks for quotas all of whose work is within their backing, in number
// and in every island.
func covered(_ Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	for _, q := range p.Quotas {
		units := p.of(func(u Unit) bool { return u.Job.Target == q.Path })
		if q.Held || !p.inside(units, q.Backing) {
			continue // beside what others hold there is less
		}
		for _, u := range units {
			if u.Phase == fleet.Running && u.Holds != fleet.HoldsGuaranteed {
				s.add("%s is %s, though all work of %s stands inside its backing", u.Job.Name, u.Holds, q.Path)
				break
			}
		}
	}
}

// inside says whether units touch no more nodes of any island than back it, and are
// no more GPUs than all of these have.
func (p *Part) inside(units []Unit, backing []int) bool {
	gpus, nodes := 0, 0
	for _, u := range units {
		gpus += u.GPUs()
	}
	t := p.touched(units).perIsland(p)
	for i, n := range backing {
		nodes += n
		if t[i] > n {
			return false
		}
	}
	return gpus <= nodes*p.PerNode
}

// inOrder looks at pairs of gangs, or workloads of one pool, in one island: the more
// important one is not less well held than one that takes as much room there.
func inOrder(m Moment, p *Part, s *said) {
	if p.Stale {
		return
	}
	for _, a := range m.After.Jobs {
		for _, b := range m.After.Jobs {
			if a.At != p.ID || b.At != p.ID || a.Target != b.Target || a.Flexes() || !Ahead(a, a.Base(), b, b.Base()) || a.State != fleet.RunningW || b.State != fleet.RunningW {
				continue
			}
			if q := p.Quota(a.Target); q != nil && q.Held {
				continue // who a hold inside the quota is for comes first within it
			}
			ha, ia, na, oka := p.block(a)
			hb, ib, nb, okb := p.block(b)
			if oka && okb && ia == ib && na <= nb && ha != fleet.HoldsGuaranteed && hb == fleet.HoldsGuaranteed {
				s.add("%s is %s, and %s, which comes after it in %s and takes as much of %s, is guaranteed", a.Name, ha, b.Name, a.Target, p.Islands[ia])
			}
		}
	}
}

// block describes work of a single gang that has whole nodes in one island.
func (p *Part) block(j *Job) (h fleet.HeldAs, island, nodes int, ok bool) {
	if len(j.Pools) != 1 || j.MaxRuntime > 0 || j.Pools[0].Elastic || j.Pools[0].GPUs != p.PerNode || len(j.Units) == 0 {
		return 0, 0, 0, false
	}
	island = p.Nodes[j.Units[0].Node].Island
	for _, u := range j.Units {
		if !u.Stays() || p.Nodes[u.Node].Island != island || !p.Nodes[u.Node].Whole() {
			return 0, 0, 0, false
		}
	}
	return j.Units[0].Holds, island, len(j.Units), true
}

// unprotects looks where no dip ends: what comes back after a dip may have been unprotected before it.
func unprotects(m Moment, p *Part, s *said) {
	if m.changed() || m.fell(p) || p.Stale || m.dipEnds() {
		return
	}
	covered := func(u Unit) bool {
		return u.Stays() && (u.Holds == fleet.HoldsGuaranteed || u.Holds == fleet.HoldsBorrowing)
	}
	for _, j := range m.After.Jobs {
		old := m.Before.Job(j.ID)
		if old != nil && j.Late != old.Late {
			return // one that loses its age comes last, and others take its place
		}
		if j.At != p.ID || old == nil {
			continue
		}
		for i, pool := range j.Pools {
			now := filter(j.Units, func(u Unit) bool { return u.Pool == i && u.Stays() })
			bare := filter(now, func(u Unit) bool { return u.Holds == fleet.HoldsUnprotected })
			was := filter(old.Units, func(u Unit) bool { return u.Pool == i && covered(u) })
			if len(bare) > 0 && len(was) > len(now)-len(bare) && len(was) == len(filter(old.Units, func(u Unit) bool { return u.Pool == i })) {
				s.add("%s became unprotected (%d replicas of %s), and neither backing nor grants changed", j.Name, len(bare), pool.Name)
			}
		}
	}
}

func silence(m Moment, p *Part, s *said) {
	if was := m.Before.Part(p.ID); !p.Stale || was == nil || !was.Stale {
		return
	}
	for _, j := range m.After.Jobs {
		old := m.Before.Job(j.ID)
		if j.At == p.ID && old != nil && j.Evictions > old.Evictions {
			s.add("%s was evicted", j.Name)
		}
		if j.At == p.ID && old != nil && old.State == fleet.Pending && (j.State == fleet.Starting || j.State == fleet.RunningW) {
			s.add("%s started", j.Name)
		}
	}
}

func leaves(m Moment) (list []string) {
	for _, j := range m.After.Jobs {
		if old := m.Before.Job(j.ID); old != nil && old.At != "" && j.At != "" && old.At != j.At && old.State == fleet.RunningW && j.State == fleet.RunningW {
			if p := m.After.Part(old.At); !m.unfit(func(o *Job) bool { return o == j }) && !slices.ContainsFunc(old.Units, func(u Unit) bool { return !p.Nodes[u.Node].Whole() }) {
				list = append(list, j.Name+" ran in "+old.At+" and runs in "+j.At)
			}
		}
	}
	return list
}
