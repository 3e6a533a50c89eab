package fleet

import (
	"slices"
	"strings"
)

// use is what the residents of one node take, by kind.
type use struct{ inHeld, inReserved, flexHeld, flexReserved int }

func (n *Node) use() (u use) {
	for _, r := range n.residents {
		g := r.GPUs()
		switch {
		case r.Workload.account != nil && r.Phase == Reserved:
			u.inReserved += g
		case r.Workload.account != nil:
			u.inHeld += g
		case r.Phase == Reserved:
			u.flexReserved += g
		default:
			u.flexHeld += g
		}
	}
	return u
}

// inQuota counts each GPU that in-quota work holds or has reserved once.
func (n *Node) inQuota(u use) int { return min(max(n.Good(), u.inHeld), u.inHeld+u.inReserved) }

// onFlex counts each GPU that flex work holds or has reserved once, where no
// in-quota work has reserved it. On a node that is not usable there is no flex: what
// flex work holds there is stranded.
func (n *Node) onFlex(u use) int {
	if !n.State.Usable() {
		return 0
	}
	return min(u.flexHeld+u.flexReserved, max(0, max(n.Good(), u.inHeld+u.flexHeld)-n.inQuota(u)))
}

// contribute adds the node to (sign 1) or takes it from (sign −1) every count
// of its partition, island, accounts and namespaces.
func (p *Partition) contribute(n *Node, sign int) {
	island, t := p.Islands[n.Island], &p.tally
	p.changes.OnNodes++
	island.changed++
	if sign > 0 {
		n.usable, n.whole, n.counted = n.State.Usable(), n.Whole(), n.UsableGPUs()
	}
	if n.State == Probation {
		p.probations += sign
	}
	if n.State == Suspect {
		p.suspects += sign
	}
	t.Installed += sign * n.GPUs
	t.Usable += sign * n.UsableGPUs()
	t.Room += sign * n.Room()
	island.room += sign * n.Room()
	island.rooms[n.Room()] += sign
	if n.State == Healthy {
		t.Healthy += sign * n.GPUs
	}
	if n.Leaving {
		p.leavings += sign
	}
	if n.Leaving || n.Planned && n.State == Maintenance {
		p.away += sign
	}
	switch {
	case n.Whole():
		island.whole += sign
	case n.outByPlan():
		island.planned += sign
	}
	if len(n.residents) == 0 {
		return
	}
	u := n.use()
	in, flex := n.inQuota(u), n.onFlex(u)
	t.InQuota += sign * in
	t.FlexUsed += sign * flex
	if !n.State.Usable() {
		t.Stranded += sign * n.inUse
		t.StrandedQ += sign * in
	}
	p.contributeAccounts(n, sign, in-u.inHeld)
	p.contributeNamespaces(n, sign, flex)
}

// contributeAccounts charges held GPUs to their accounts, and what is reserved
// beyond them to the account that owns the node.
func (p *Partition) contributeAccounts(n *Node, sign, reserved int) {
	for _, r := range n.residents {
		a := r.Workload.account
		if a != nil && r.Phase != Reserved {
			a.spend(sign*r.GPUs(), 0)
		}
		if a != nil && r.Phase != Leaving {
			a.spend(0, sign*r.GPUs())
		}
	}
	if a := n.owner; a != nil {
		a.spend(sign*reserved, 0)
		a.count(n.Island, -1)
		a.touched[n.Island] += sign
		a.count(n.Island, 1)
		a.root.touched[n.Island] += sign
		// Where work stands matters to the backing only where some work is
		// uncovered, or some gang declared or some grant not backed whole; gangs
		// say so themselves (replicas.go).
		p.unaligned = p.unaligned || p.gangless > 0 || p.declared > 0 || p.short > 0
		p.straying = p.straying || p.overs > 0
		p.idles(a.root)
	}
}

// contributeNamespaces shares the node's flex use among its namespaces, work that stays first.
func (p *Partition) contributeNamespaces(n *Node, sign, left int) {
	for _, leaving := range []bool{false, true} {
		for _, r := range n.residents {
			if r.Workload.account != nil || (r.Phase == Leaving) != leaving {
				continue
			}
			f := p.flexUse(r.Workload.Namespace)
			used := min(left, r.GPUs())
			f.Used += sign * used
			left -= used
			if !leaving {
				f.stay(r, sign*r.GPUs(), n.State.Usable())
			}
		}
	}
}

// stay counts GPUs of a replica that stays. On a node that is not usable they are no part of
// flex: capacity and use move together (semantics §1).
func (f *FlexUse) stay(r Resident, gpus int, usable bool) {
	if usable {
		f.Staying += gpus
	}
	pool := r.Workload.Pools[r.Pool]
	i := Importance{r.Workload.Priority, pool.Rank}
	f.countImportance(i, gpus)
	if pool.Elastic {
		f.elastic += gpus
	}
	if r.Workload.MaxRuntime > 0 {
		f.timed += gpus
	}
}

// countImportance counts GPUs of an importance. A namespace has few.
func (f *FlexUse) countImportance(i Importance, gpus int) {
	at := slices.IndexFunc(f.importance, func(x gpusOf) bool { return x.importance == i })
	if at < 0 {
		f.importance, at = append(f.importance, gpusOf{importance: i}), len(f.importance)
	}
	if f.importance[at].gpus += gpus; f.importance[at].gpus == 0 {
		f.importance = slices.Delete(f.importance, at, at+1)
	}
}

// CouldGiveWay says whether some of the namespace's work might give way to more
// of its own, of an importance: less important work, what elastic pools hold
// above min, and work past its declared maximum.
func (f *FlexUse) CouldGiveWay(to Importance) bool {
	if f.elastic > 0 || f.timed > 0 {
		return true
	}
	return slices.ContainsFunc(f.importance, func(x gpusOf) bool { return to.Above(x.importance) })
}

// ask counts what a workload would take at most into (sign 1) or out of (−1)
// what its namespace asks of flex here.
func (p *Partition) ask(w *Workload, sign int) {
	if w.Flexes() {
		p.flexUse(w.Namespace).asked += sign * w.Asks()
	}
}

// Demand is what a namespace holds and asks for on flex here, elastic pools at max.
func (f *FlexUse) Demand() int { return f.asked + f.standing }

// flexUse is what a namespace has of flex here, made if need be.
func (p *Partition) flexUse(namespace string) *FlexUse {
	f := p.flex[namespace]
	if f == nil {
		f = &FlexUse{name: namespace}
		f.queue.flex = f
		f.queue.partition = p
		p.flex[namespace] = f
		p.names = insertSorted(p.names, namespace, strings.Compare)
	}
	return f
}
