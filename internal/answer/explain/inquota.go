package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// inQuota is what keeps quota work from starting, in the contract's order. Where
// something else keeps it already, nothing need be in the way here.
func (q *question) inQuota(a *fleet.Account, kept bool) []Blocker {
	n := q.count(a)
	var list []Blocker
	if b, ok := q.held(a, n); ok {
		list = append(list, b)
	}
	if b, ok := q.behind(a, n); ok {
		list = append(list, b)
	}
	if len(list) == 0 && !kept {
		if b, ok := q.ahead(); ok {
			list = append(list, b)
		}
		if b, ok := q.tight(); ok {
			return append(list, b)
		}
	}
	unbacked, short := q.unbacked(a, n)
	if short {
		list = append(list, unbacked)
	}
	if b, ok := q.full(a, n); ok && !(short && n.nothingInUse()) && (!n.heldBack() || n.fullWithoutHolds()) {
		list = append(list, b)
	}
	if len(list) > 0 || kept {
		return list
	}
	if b, ok := q.clearing(a.Tree()); ok {
		return []Blocker{b}
	}
	list = append(list, q.tried(q.scattered(a, n)))
	if b, ok := q.borrowingHead(a, n); ok {
		list = append(list, b)
	}
	return list
}

// borrowingHead names the head of the tree's borrowers where the unit, which finds no nodes
// in its own quota's backing, may not borrow because of it.
func (q *question) borrowingHead(a *fleet.Account, n counts) (Blocker, bool) {
	if ahead, barred := q.pl.TreeBarrier(q.it); barred && n.hasSiblings {
		return q.behindHead(a, ahead, couldDelay), true
	}
	return Blocker{}, false
}

// behind names who is ahead and holds a reservation: in its quota's queue, or
// among those of its tree who can only borrow, where it could only borrow too.
func (q *question) behind(a *fleet.Account, n counts) (Blocker, bool) {
	ahead, barred := q.pl.Barrier(q.it)
	if !barred && !n.guaranteed() && q.comesAfter(ahead) {
		return q.behindHead(a, ahead, "what comes free goes to that first"), true
	}
	if !barred && (!n.guaranteed() || !q.pl.FitsBacking(q.it)) && n.hasSiblings {
		ahead, barred = q.pl.TreeBarrier(q.it)
	}
	if !barred {
		return Blocker{}, false
	}
	return q.behindHead(a, ahead, couldDelay), true
}

const couldDelay = "starting this one now could delay it"

// comesAfter says whether a unit, which may pass a head because it would end in time, waits for room as that does.
func (q *question) comesAfter(head fleet.Waiting) bool {
	return head.Workload != nil && head.Workload != q.it.Workload && head.Key.Importance() == q.it.Key.Importance()
}

func (q *question) behindHead(a *fleet.Account, ahead fleet.Waiting, so string) Blocker {
	gpus := ahead.Workload.NeedsBase()
	return block(reason.Behind, q.p, map[string]int{"needs": q.gpus, "ahead": gpus}, nil,
		"%s (%s) is ahead of it and holds a reservation for %s; %s.",
		q.reader.name(q.p, ahead.Workload), ahead.Workload.Priority, text.Count(gpus, "GPU"), so).by(q.reader.named(q.p, []*fleet.Workload{ahead.Workload})).until(q.declaredEnd(q.treeWork(a.Tree())))
}

// unbacked says that the grant would do, and its backing does not. A hold that is all used
// counts as any use; one that is not is a reason of its own (held).
func (q *question) unbacked(a *fleet.Account, n counts) (Blocker, bool) {
	figures := map[string]int{"needs": q.gpus, "assigned": a.Grant, "backed": a.BackedGPUs(), "usage": a.Usage()}
	switch {
	case (!n.guaranteed() || n.overtaken()) && (!n.barred || n.heldUnused == 0) && n.unevictable+q.gpus <= a.Grant:
		return block(reason.QuotaUnbacked, q.p, figures, q.downNodes(),
			"%s has %s assigned, of which healthy nodes back %s now; %s %s in use%s and it needs %s.%s%s",
			a.Quota, text.Count(a.Grant, "GPU"), text.Group(a.BackedGPUs()), text.Group(a.Usage()), text.Verb(a.Usage(), "is", "are"), givesWay(a, n.unevictable), text.Group(q.gpus), q.cut(a), q.down()).until(q.nodesReturn()), true
	case q.gpus <= a.Grant && !q.pl.BackingHolds(q.it) && q.pl.CouldEver(q.it):
		return q.split(a, figures), true
	}
	return Blocker{}, false
}

// split says that enough is backed in number, and not in one piece.
func (q *question) split(a *fleet.Account, figures map[string]int) Blocker {
	most := 0
	var pieces []string
	for i, nodes := range a.Backing {
		if most = max(most, nodes); nodes > 0 {
			pieces = append(pieces, fmt.Sprintf("%d in %s", nodes, q.p.Islands[i].Name))
		}
	}
	figures["needsNodes"], figures["largestNodes"] = q.gang, most
	return block(reason.QuotaUnbacked, q.p, figures, q.downNodes(),
		"%s has %s backed, at most %s of them in one island (%s); its gang needs %s in one %s.%s%s%s",
		a.Quota, text.Count(a.BackedGPUs(), "GPU"), text.Count(most, "node"), text.Few(pieces, mostPieces), text.Count(max(q.gang, 1), "node"), q.reach(), q.wider(a), q.cut(a), q.down()).until(q.nodesReturn())
}

// downNodes names a few nodes that are not healthy, the longest down first.
func (q *question) downNodes() []string {
	var down []*fleet.Node
	for _, n := range q.p.Nodes {
		if n.State != fleet.Healthy && n.State != fleet.Retired {
			down = append(down, n)
		}
	}
	slices.SortStableFunc(down, func(a, b *fleet.Node) int { return cmp.Compare(a.Since, b.Since) })
	var names []string
	for _, n := range down[:min(len(down), most)] {
		names = append(names, n.Name)
	}
	return names
}

// mostPieces is how many islands of a split backing a text names.
const mostPieces = 4

// wider says that the gang would find as many nodes, were its reach any. Whether it may
// stand in several islands its submitter knows.
func (q *question) wider(a *fleet.Account) string {
	if q.gang < 2 || a.BackedNodes() < q.gang {
		return ""
	}
	return " A gang that may stand in several islands is submitted with reach: any."
}

// full says that the quota, and the tree that it could borrow from, have not enough left.
func (q *question) full(a *fleet.Account, n counts) (Blocker, bool) {
	if n.guaranteed() && !n.overtaken() || n.hasSiblings && n.canBorrow() {
		return Blocker{}, false
	}
	if !n.hasSiblings {
		b := block(reason.QuotaFull, q.p, map[string]int{"needs": q.gpus, "assigned": a.Grant, "backed": a.BackedGPUs(), "usage": a.Usage()}, nil,
			"%s; it needs %d.%s", uses(a, n.unevictable), q.gpus, q.cut(a)).by(q.holders(a.Work()))
		return q.beyond(b, a.Grant, a.Quota).until(q.declaredEnd(a.Work())), true
	}
	b := block(reason.TreeFull, q.p, map[string]int{"needs": q.gpus, "backed": n.treeBacked, "usage": n.treeUnevictable}, nil,
		"Of the %s that back the tree of %s, work that it may not evict uses %s; it needs %s.%s", text.Count(n.treeBacked, "GPU"), a.Quota, text.Group(n.treeUnevictable), text.Group(q.gpus), q.cut(a)).by(q.holders(q.treeWork(a.Tree())))
	return q.beyond(b, n.treeGranted, "the tree "+a.Tree()).until(q.declaredEnd(q.treeWork(a.Tree()))), true
}

// uses says what a quota uses of what is backed, and what of it would give way.
func uses(a *fleet.Account, unevictable int) string {
	says := fmt.Sprintf("%s uses %s of its %s", a.Quota, text.Group(a.Usage()), text.Count(a.BackedGPUs(), "backed GPU"))
	if a.Usage() > a.BackedGPUs() {
		says = fmt.Sprintf("%s uses %s and has %s backed", a.Quota, text.Count(a.Usage(), "GPU"), text.Group(a.BackedGPUs()))
	}
	return says + givesWay(a, unevictable)
}

// givesWay says what of a quota's usage is not in the way: work that the newcomer may evict, and work that leaves already.
func givesWay(a *fleet.Account, unevictable int) string {
	var parts []string
	if n := a.Stays() - unevictable; n > 0 {
		parts = append(parts, text.Group(n)+" of them by work that it may evict")
	}
	if n := a.Usage() - a.Stays(); n > 0 {
		parts = append(parts, text.Group(n)+" of them by work that is leaving")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// left says how much there is left of some backing, and how much of that is in use now.
func left(backed, inTheWay, usage int, by string) string {
	says := text.Group(backed - inTheWay)
	if n := min(usage, backed) - inTheWay; n > 0 {
		says += ", " + text.Group(n) + " of them in use by work that " + by
	}
	return "(" + says + ")"
}

// beyond says so where no end of other work would do: it needs more than is granted at all.
func (q *question) beyond(b Blocker, granted int, whose string) Blocker {
	if q.gpus <= granted {
		return b
	}
	b.Figures["assigned"] = granted
	b.Text += " Even empty, " + whose + " would not hold it."
	return b.of(reason.Change)
}

// lacksPiece are the figures of what has enough left in number, and not in one piece.
func (q *question) lacksPiece(left int) map[string]int {
	figures := map[string]int{"needs": q.gpus, "unscheduled": left}
	if q.gang > 0 {
		figures["needsNodes"] = q.gang
	}
	return figures
}

// scattered says that there is enough in number, and not in one piece.
func (q *question) scattered(a *fleet.Account, n counts) Blocker {
	if n.guaranteed() && q.pl.FitsBacking(q.it) {
		return block(reason.Fragmented, q.p, q.lacksPiece(a.BackedGPUs()-n.earlier), nil,
			"%s has enough GPUs left %s, but not %s.", a.Quota, left(a.BackedGPUs(), n.earlier, a.Usage(), "comes after it"), q.piece()).by(q.holders(a.Work())).until(q.declaredEnd(a.Work()))
	}
	return block(reason.Fragmented, q.p, q.lacksPiece(n.treeBacked-n.treeUnevictable), nil,
		"It could borrow: its tree has enough GPUs left %s, but not %s.", left(n.treeBacked, n.treeUnevictable, n.treeUsage, "it may evict"), q.piece()).by(q.holders(q.treeWork(a.Tree()))).until(q.declaredEnd(q.treeWork(a.Tree())))
}

func (q *question) piece() string {
	if q.gang > 1 {
		return fmt.Sprintf("%s in one %s", text.Count(q.gang, "node"), q.reach())
	}
	for _, a := range q.p.Accounts {
		if a.Quota != q.w.Target && len(a.Work()) > 0 {
			return "on nodes that it may use (a node serves one quota)"
		}
	}
	return "on nodes that it may use"
}

// treeWork is all work of a tree that stands in the partition.
func (q *question) treeWork(tree string) []*fleet.Workload {
	var list []*fleet.Workload
	for _, x := range q.p.Accounts {
		if x.Tree() == tree {
			list = append(list, x.Work()...)
		}
	}
	return list
}
