package haircut

import "github.com/muster-fleet/muster/internal/state/fleet"

// The classes in which quotas are cut, in the order of semantics §4. Its first
// class, clusters with unallocated capacity, takes nothing from any quota: see
// fleet.CutPart.Records.
const (
	unscheduled = iota // assigned above usage
	idle               // held by idle jobs
	rest               // the rest
	classes
)

// row is one grant, in whole nodes.
type row struct {
	account *fleet.Account
	grant   int
	extra   int          // GPUs of the grant beyond its whole nodes
	cutsIt  bool         // whether they are cut
	gang    int          // the declared gang needs so many
	beside  int          // nodes that work touches beside the gang's block: only loose backing covers them
	has     [classes]int // what of the grant is in each class
	cut     [classes]int // what was taken of each
}

func rowsOf(p *fleet.Partition, now fleet.Instant) []*row {
	var rows []*row
	for _, a := range p.Accounts {
		if a.Grant > 0 {
			rows = append(rows, rowOf(p, a, now))
		}
	}
	return rows
}

// rowOf sorts a grant's nodes into classes. A node that in-quota work touches is
// not above usage, even if the work leaves some of its GPUs free: without it the
// work would have no cover.
func rowOf(p *fleet.Partition, a *fleet.Account, now fleet.Instant) *row {
	r := &row{account: a, grant: a.GrantNodes(), extra: a.Fraction(), gang: up(a.Gang, p.GPUsPerNode)}
	touched := 0
	for _, i := range a.Islands() {
		touched += a.Touched(i)
	}
	if r.gang > 0 && a.GangMissing == 0 {
		r.beside = touched - min(a.Touched(a.GangIsland), r.gang)
	}
	used := max(up(a.Usage(), p.GPUsPerNode), touched)
	r.has[unscheduled] = max(0, r.grant-used)
	r.has[idle] = min(a.Idle(now)/p.GPUsPerNode, r.grant-r.has[unscheduled])
	r.has[rest] = r.grant - r.has[unscheduled] - r.has[idle]
	return r
}

// up is so many GPUs in nodes, rounded up.
func up(gpus, perNode int) int { return (gpus + perNode - 1) / perNode }

func (r *row) taken() int {
	t := 0
	for _, n := range r.cut {
		t += n
	}
	return t
}

// cutFractions cuts what fills no whole node, first of all: nothing backs it, so
// no quota loses anything. It says how many GPUs that is.
func cutFractions(rows []*row) int {
	t := 0
	for _, r := range rows {
		r.cutsIt = true
		t += r.extra
	}
	return t
}

// fraction is the GPUs of the row that fill no whole node and are cut.
func (r *row) fraction() int {
	if r.cutsIt {
		return r.extra
	}
	return 0
}

// left is what the row has left in a class. Sparing the gang, what is above usage
// spares the work beside the gang's block too: the block covers nothing there.
func (r *row) left(class int, sparing bool) int {
	keep := 0
	if sparing {
		keep = r.gang
	}
	if sparing && class == unscheduled {
		keep += r.beside
	}
	return max(0, min(r.has[class]-r.cut[class], r.grant-r.taken()-keep))
}

// take cuts so many nodes, class by class, pro rata to what each row has in the
// class; below a gang only when nothing else is left. What no quota has is not taken.
func take(rows []*row, nodes int) {
	for _, sparing := range []bool{true, false} {
		for class := range classes {
			nodes -= takeClass(rows, class, nodes, sparing)
		}
	}
}

// takeClass cuts up to so many nodes of one class and says how many it was.
func takeClass(rows []*row, class, nodes int, sparing bool) int {
	sizes := make([]int, len(rows))
	for i, r := range rows {
		sizes[i] = r.left(class, sparing)
	}
	taken := 0
	for i, n := range Apportion(sizes, nodes) {
		rows[i].cut[class] += n
		taken += n
	}
	return taken
}

// takeOwn cuts so many nodes of one row, class by class, down to its gang; it
// returns what it could not take.
func (r *row) takeOwn(nodes int) int {
	for class := range classes {
		n := min(nodes, r.left(class, true))
		r.cut[class] += n
		nodes -= n
	}
	return nodes
}

// takeShares cuts every grant to grant × kept/whole: all of them together to the
// whole nodes that this leaves, each by largest remainder. What a gang keeps back
// is taken elsewhere. Of nothing whole nothing is kept.
func takeShares(rows []*row, kept, whole int) {
	sizes, total := make([]int, len(rows)), 0
	for i, r := range rows {
		sizes[i] = r.grant
		total += r.grant
	}
	left, missing := 0, 0
	if whole > 0 {
		left = total * kept / whole
	}
	for i, keeps := range Apportion(sizes, left) {
		missing += rows[i].takeOwn(rows[i].grant - keeps)
	}
	take(rows, missing)
}
