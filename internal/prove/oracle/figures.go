package oracle

import (
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of §1: every figure adds up.
var figureLaws = []Law{
	{"figures-not-negative", "no figure is negative (§1)", eachPart(notNegative)},
	{"figures-of-nodes", "installed, healthy, usable and stranded are sums over nodes (§1)", eachPart(nodeFigures)},
	{"figures-of-flex", "flex is the usable GPUs that no in-quota workload holds or has reserved (§1)", eachPart(flexFigures)},
	{"figures-add-up", "flex = (usable − promisable) + unallocated + unscheduled − borrowed − over + stranded in-quota (§1)", eachPart(identity)},
	{"figures-of-quotas", "scheduled = min(usage, backed), unscheduled = backed − scheduled, unbacked = assigned − backed, borrowed and over cover usage above backed (§1)", eachPart(quotaFigures)},
	{"figures-of-lending", "usage above backed is borrowed as far as siblings' unscheduled backing covers it (§1)", eachPart(lending)},
	{"nothing-halts", "no decision meets a mistake of Muster's own, which halts its partition (§2)", nothingHalts},
	{"node-not-overfull", "no GPU is held twice (§10.2)", eachPart(notOverfull)},
}

func nothingHalts(m Moment) []string {
	var s said
	for _, e := range m.Record.Events {
		if halted, is := e.(event.PartitionHalted); is {
			s.add("%s: %s", halted.Partition, halted.Why)
		}
	}
	return s
}

func notNegative(_ Moment, p *Part, s *said) {
	f := p.Figures.Figures
	for name, n := range map[string]int{
		"installed": f.Installed, "healthy": f.Healthy, "usable": f.Usable, "stranded": f.Stranded, "promisable": f.Promisable,
		"sustainable": f.Sustainable, "assigned": f.Assigned, "backed": f.Backed, "unbacked": f.Unbacked, "unallocated": f.Unallocated,
		"scheduled": f.Scheduled, "unscheduled": f.Unscheduled, "borrowed": f.Borrowed, "over": f.Over, "flex": f.Flex,
		"flexUsed": f.FlexUsed, "largestGang": f.LargestGang,
	} {
		if n < 0 {
			s.add("%s of %s is %d", name, p.ID, n)
		}
	}
	for _, q := range p.Rows {
		for name, n := range map[string]int{
			"assigned": q.Assigned, "backed": q.Backed, "unbacked": q.Unbacked, "usage": q.Usage, "scheduled": q.Scheduled,
			"unscheduled": q.Unscheduled, "borrowed": q.Borrowed, "lent": q.Lent, "over": q.Over, "guaranteed": q.Guaranteed,
			"borrowing": q.Borrowing, "unprotected": q.Unprotected,
		} {
			if n < 0 {
				s.add("%s of %s is %d", name, q.Quota, n)
			}
		}
	}
}

func nodeFigures(_ Moment, p *Part, s *said) {
	installed, healthy, usable, stranded := 0, 0, 0, 0
	for i, n := range p.Nodes {
		if n.State == fleet.Retired {
			return // whether it still counts as installed is not said
		}
		installed += n.GPUs
		usable += n.Usable()
		if n.State == fleet.Healthy {
			healthy += n.GPUs
		}
		if n.Usable() > 0 {
			continue
		}
		for _, u := range p.Units {
			if u.Node == i && u.Phase != fleet.Reserved {
				stranded += u.GPUs()
			}
		}
	}
	f := p.Figures
	for name, pair := range map[string][2]int{"installed": {f.Installed, installed}, "healthy": {f.Healthy, healthy}, "usable": {f.Usable, usable}} {
		if pair[0] != pair[1] {
			s.add("%s of %s is %d, its nodes have %d", name, p.ID, pair[0], pair[1])
		}
	}
	if f.Stranded < stranded && !degraded(p) {
		s.add("stranded of %s is %d, work holds %d there", p.ID, f.Stranded, stranded)
	}
}

func degraded(p *Part) bool {
	return slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Dead > 0 })
}

// taken is the GPUs of a node that in-quota work holds or has reserved, each once.
func taken(p *Part, node int) (gpus int) {
	held, reserved, all := 0, 0, 0
	for _, u := range p.Units {
		if u.Node != node {
			continue
		}
		all += u.GPUs()
		switch {
		case u.Job.Flexes():
		case u.Phase == fleet.Reserved:
			reserved += u.GPUs()
		default:
			held += u.GPUs()
		}
	}
	return min(held+reserved, p.Nodes[node].GPUs)
}

func flexFigures(_ Moment, p *Part, s *said) {
	if degraded(p) {
		return
	}
	flex := 0
	for i, n := range p.Nodes {
		if n.Usable() > 0 {
			flex += n.Usable() - taken(p, i)
		}
	}
	if p.Figures.Flex != flex {
		s.add("flex of %s is %d, in-quota work leaves %d", p.ID, p.Figures.Flex, flex)
	}
	used := map[string]int{}
	for _, u := range p.Units {
		if u.Job.Flexes() {
			used[u.Job.Space] += u.GPUs()
		}
	}
	for _, n := range p.Spaces {
		if n.FlexUsed > used[n.Namespace] {
			s.add("flexUsed of %s is %d, its work holds %d", n.Namespace, n.FlexUsed, used[n.Namespace])
		}
	}
}

// identity holds where everything that can be backed is: what no whole node can
// back, or an overcommitted grant, is no term of it.
func identity(_ Moment, p *Part, s *said) {
	f := p.Figures
	if p.Stale || f.Backed != min(f.Promisable, f.Assigned) {
		return
	}
	stranded := 0
	for i, n := range p.Nodes {
		if n.Usable() == 0 {
			stranded += taken(p, i)
		}
	}
	if degraded(p) {
		return
	}
	if sum := f.Usable - f.Promisable + f.Unallocated + f.Unscheduled - f.Borrowed - f.Over + stranded; sum != f.Flex {
		s.add("flex of %s is %d, its parts are %d", p.ID, f.Flex, sum)
	}
}

func quotaFigures(_ Moment, p *Part, s *said) {
	holds := map[string]map[fleet.HeldAs]int{}
	for _, u := range p.Units {
		if u.Phase == fleet.Reserved || u.Job.Flexes() {
			continue
		}
		if holds[u.Job.Target] == nil {
			holds[u.Job.Target] = map[fleet.HeldAs]int{}
		}
		holds[u.Job.Target][u.Holds] += u.GPUs()
	}
	for _, q := range p.Rows {
		h := holds[q.Quota]
		switch {
		case q.Scheduled != min(q.Usage, q.Backed) || q.Unscheduled != q.Backed-q.Scheduled || q.Unbacked != q.Assigned-q.Backed:
			s.add("of %s assigned %d, backed %d, unbacked %d, usage %d, scheduled %d, unscheduled %d", q.Quota, q.Assigned, q.Backed, q.Unbacked, q.Usage, q.Scheduled, q.Unscheduled)
		case q.Borrowed+q.Over != max(0, q.Usage-q.Backed):
			s.add("of %s borrowed %d and over %d, usage %d of %d backed", q.Quota, q.Borrowed, q.Over, q.Usage, q.Backed)
		case q.Guaranteed != min(h[fleet.HoldsGuaranteed], q.Backed) || q.Borrowing < h[fleet.HoldsBorrowing] || q.Unprotected < h[fleet.HoldsUnprotected] ||
			q.Guaranteed+q.Borrowing+q.Unprotected != h[fleet.HoldsGuaranteed]+h[fleet.HoldsBorrowing]+h[fleet.HoldsUnprotected]:
			s.add("of %s guaranteed %d, borrowing %d, unprotected %d; its units hold %v", q.Quota, q.Guaranteed, q.Borrowing, q.Unprotected, h)
		}
	}
}

func lending(_ Moment, p *Part, s *said) {
	excess, unscheduled, borrowed, lent := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, q := range p.Rows {
		tree := fleet.TreeOf(q.Quota)
		excess[tree] += max(0, q.Usage-q.Backed)
		unscheduled[tree] += q.Unscheduled
		borrowed[tree] += q.Borrowed
		lent[tree] += q.Lent
		if q.Lent > q.Unscheduled {
			s.add("%s lends %d of %d unscheduled", q.Quota, q.Lent, q.Unscheduled)
		}
	}
	for _, tree := range slices.Sorted(maps.Keys(excess)) {
		if want := min(excess[tree], unscheduled[tree]); borrowed[tree] != want || lent[tree] != want {
			s.add("tree %s borrows %d and lends %d, should be %d", tree, borrowed[tree], lent[tree], want)
		}
	}
}

func notOverfull(_ Moment, p *Part, s *said) {
	for i, n := range p.Nodes {
		held, staying := 0, 0
		for _, u := range p.Units {
			if u.Node != i {
				continue
			}
			if u.Phase != fleet.Reserved {
				held += u.GPUs()
			}
			if u.Stays() {
				staying += u.GPUs()
			}
		}
		if held > n.GPUs || staying > n.GPUs {
			s.add("%s has %d GPUs: %d are held, %d by those who stay", n.Name, n.GPUs, held, staying)
		}
	}
}
