package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of nodes that are tight: they have GPUs for some pods, and too little of something else (§5).
var tightLaws = []Law{
	{"tight-takes-no-more", "nothing is started on a node that takes no more replicas of its footprint (§5)", eachPart(tightTakes)},
	{"does-not-fit-is-told", "work that only tight nodes keep from starting has the reason DoesNotFit (§7)", eachWaiting(tightIsTold)},
	{"tight-is-told", "of a node it is told for which footprints it is tight, and how many it takes; its free GPUs are free (§5)", eachPart(tightShown)},
}

// Tightness is what is known of the nodes of a partition that are tight: by footprint and node.
type Tightness map[string]map[int]fleet.Takings

func takeTight(p *fleet.Partition) Tightness {
	all := Tightness{}
	for _, f := range p.Footprints {
		all[f.Name] = map[int]fleet.Takings{}
		for _, t := range f.Tight {
			all[f.Name][t.Node] = t.Takings
		}
	}
	return all
}

// bars says whether a node may be tight for a footprint; of a node that is not known any that is tight counts.
func (t Tightness) bars(footprint string, node int) bool {
	if node < 0 {
		return len(t[footprint]) > 0
	}
	_, tight := t[footprint][node]
	return tight
}

// byGPUs are pieces of which GPUs alone count.
func byGPUs(list []Piece) []Piece {
	list = slices.Clone(list)
	for i := range list {
		list[i].Footprint = ""
	}
	return list
}

// tightFor says whether some node is tight for a workload.
func (p *Part) tightFor(j *Job) bool {
	return slices.ContainsFunc(j.Pools, func(pool fleet.Pool) bool { return len(p.Tight[pool.Footprint]) > 0 })
}

// unsure says whether it may be left open that a workload finds room: several pools with tight nodes are not
// packed by trying every way (decision record 0026).
func (p *Part) unsure(j *Job) bool { return len(Base(j)) > 1 && p.tightFor(j) }

// tightTakes counts, on nodes where a replica came by the record, those of its footprint that stay.
func tightTakes(m Moment, p *Part, s *said) {
	was := m.Before.Part(p.ID)
	if was == nil {
		return
	}
	for _, j := range m.After.Jobs {
		if j.At != p.ID {
			continue
		}
		for _, u := range fresh(m, j) {
			name := j.Pools[u.Pool].Footprint
			t, tight := p.Tight[name][u.Node]
			if before, known := was.Tight[name][u.Node]; !tight || !known || before != t {
				continue
			}
			p.overfull(m, u, name, t, s)
		}
	}
}

// overfull says so where a replica came to a node that had no room for it.
func (p *Part) overfull(m Moment, u Unit, name string, t fleet.Takings, s *said) {
	alike, others := 0, 0
	for _, o := range p.Units {
		switch {
		case o.Node != u.Node || !o.Stays():
		case o.Job.Pools[o.Pool].Footprint == name:
			alike++
		default:
			others++
		}
	}
	if alike > t.Takes {
		s.add("%s was given room on %s, which takes %d replicas of %s and has %d", u.Job.Name, p.Nodes[u.Node].Name, t.Takes, name, alike)
	}
	if came := p.came(m, u.Node, name); t.Full && came > t.More && others+alike > came {
		s.add("%s was given room on %s, which takes %d more replicas of %s beside what stands there; %d came", u.Job.Name, p.Nodes[u.Node].Name, t.More, name, came)
	}
}

// came counts the replicas of a footprint that came to a node by the record.
func (p *Part) came(m Moment, node int, footprint string) (n int) {
	for _, j := range m.After.Jobs {
		if j.At != p.ID {
			continue
		}
		for _, u := range fresh(m, j) {
			if u.Node == node && j.Pools[u.Pool].Footprint == footprint {
				n++
			}
		}
	}
	return n
}

// mayStandInstead are the reasons that flex work may have although it would find free GPUs: DoesNotFit, those that are
// listed before it (§7), those of room that is kept for others (Held, MaintenanceAhead), and Resting, which stands alone.
var mayStandInstead = []reason.Code{
	reason.ClusterNotReady, reason.Held, reason.Behind, reason.MaintenanceAhead, reason.FlexShare, reason.Resting, reason.NoSuchPartition, reason.GangTooLarge,
	reason.DoesNotFit,
}

// tightIsTold looks at flex work that would find free GPUs, did GPUs alone count.
func tightIsTold(m Moment, p *Part, j *Job, s *said) {
	if !j.Flexes() || len(m.After.Parts) > 1 || len(j.Why) == 0 || len(Base(j)) > 1 || j.rests(m.After.At) {
		return
	}
	if p.open(p.Units, nil).Fits(byGPUs(Base(j))) && !slices.Contains(mayStandInstead, j.Why[0].Code) {
		s.add("%s waits for %s; GPUs are free for it, on nodes that are tight", j.Name, j.Why[0].Code)
	}
}

// couldFit says what of the reason DoesNotFit is not so; "": nothing.
func (p *Part) couldFit(j *Job, why explain.Blocker) string {
	if !p.tightFor(j) {
		return "no node is tight for it"
	}
	if never := !p.ever(j); never != (why.Class == reason.Change) {
		return map[bool]string{true: "no node would take it even if all were empty, and it is told to wait", false: "empty nodes would take it, and it is told to change"}[never]
	}
	return ""
}

// ever says whether empty nodes would take the replicas of each pool that must start, looked at alone.
func (p *Part) ever(j *Job) bool {
	for _, pool := range j.Pools {
		if pool.Rank != j.Base() {
			continue
		}
		room, best := make([]int, len(p.Islands)+1), 0
		for i, n := range p.Nodes {
			slots := n.GPUs / pool.GPUs
			if t, tight := p.Tight[pool.Footprint][i]; tight {
				slots = min(slots, t.Empty)
			}
			at := n.Island
			if pool.Elastic || pool.Reach == fleet.ReachAny {
				at = len(p.Islands)
			}
			if room[at] += slots; n.State != fleet.Retired {
				best = max(best, room[at])
			}
		}
		if best < pool.Min {
			return false
		}
	}
	return true
}

// tightShown compares what is told of a node with what is known of it, and its free GPUs with what stands there.
func tightShown(_ Moment, p *Part, s *said) {
	for i, n := range p.Nodes {
		held, told := 0, map[string]bool{}
		for _, u := range p.Units {
			if u.Node == i {
				held += u.GPUs()
			}
		}
		if free := max(0, n.Usable()-held); n.Free != free {
			s.add("%s is told to have %d free GPUs, and has %d", n.Name, n.Free, free)
		}
		for _, t := range n.Tight {
			told[t.Footprint] = true
			if is, tight := p.Tight[t.Footprint][i]; !tight || t.Takes > is.Takes || is.Full && held > 0 && t.Takes > max(is.More, 0) {
				s.add("%s is told to take %d of %s, and is known to take %+v", n.Name, t.Takes, t.Footprint, is)
			}
		}
		for name, on := range p.Tight {
			if _, tight := on[i]; tight && !told[name] && len(n.Tight) < 8 {
				s.add("%s is tight for %s, and that is not told", n.Name, name)
			}
		}
	}
}
