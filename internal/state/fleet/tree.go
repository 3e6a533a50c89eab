package fleet

import (
	"slices"
	"strings"
)

// Tree is what a root quota and all quotas under it have in one partition,
// summed over their accounts as each of them changes.
type Tree struct {
	name     string
	accounts []*Account // in order of path
	waits    []*Account // those for which a unit waits, in order of path

	changes TreeChanges
	changed bool // it is among Partition.changed
	readers int  // waiting units that depend on which nodes are healthy, see Workload.ReadsMetal
	// Memo is placement's.
	Memo Memo

	treeSums
	idled bool // it is among Partition.idled

	backing []int // nodes that back the tree, per island
	touched []int // nodes with staying in-quota work of the tree, per island
}

// treeSums are summed over the accounts of a tree.
type treeSums struct {
	backedNodes int    // nodes
	backers     int    // accounts with backing
	usage       int    // GPUs, see Account.Usage
	stays       int    // GPUs, see Account.Stays
	loose       int    // see Account.Loose
	over        int    // see Account.Over
	insideHolds int    // holds inside its quotas
	leaving     int    // workloads with replicas on their way out
	version     uint64 // grows with every change of work or backing
}

// Accounts lists the tree's accounts in the partition, in order of path.
func (t *Tree) Accounts() []*Account { return t.accounts }

// Waits lists the accounts of the tree for which a unit waits, in order of path.
func (t *Tree) Waits() []*Account { return t.waits }

// Name is the root quota.
func (t *Tree) Name() string { return t.name }

// Backing is the number of nodes that back the tree in an island.
func (t *Tree) Backing(island int) int { return t.backing[island] }

// Touched is the number of nodes in an island on which in-quota work of the tree stays.
func (t *Tree) Touched(island int) int { return t.touched[island] }

// BackedNodes is the nodes that back the tree.
func (t *Tree) BackedNodes() int { return t.backedNodes }

// ReadsMetal says whether a unit waits in the tree that depends on which nodes are
// healthy: see Workload.ReadsMetal.
func (t *Tree) ReadsMetal() bool { return t.readers > 0 }

// Usage is the GPUs that work of the tree holds or has reserved.
func (t *Tree) Usage() int { return t.usage }

// Stays is the GPUs that work of the tree holds or has reserved and means to keep.
func (t *Tree) Stays() int { return t.stays }

// Loose is the number of staying replicas of the tree that are not guaranteed.
func (t *Tree) Loose() int { return t.loose }

// Version grows with every change of the tree's work or backing, and of what
// time does to them: what was derived from both holds as long as it stays.
func (t *Tree) Version(p *Partition) uint64 { return t.version + p.changes.Ages + 1 }

// Leaves says whether work of the tree is on its way out.
func (t *Tree) Leaves() bool { return t.leaving > 0 }

// Borrows says whether a unit waits in the tree that could borrow.
func (t *Tree) Borrows() bool { return slices.ContainsFunc(t.waits, t.Lends) }

// Lends says whether some other account of the tree has backing that it could lend to one.
func (t *Tree) Lends(to *Account) bool { return t.backers > min(1, to.backedNodes) }

// Root is the account's tree.
func (a *Account) Root() *Tree { return a.root }

// TreeOf finds the tree with a root quota, or nil.
func (p *Partition) TreeOf(root string) *Tree { return p.trees[root] }

// Trees lists the trees that have accounts in the partition, in order of name.
func (p *Partition) Trees() []*Tree {
	list := make([]*Tree, 0, len(p.trees))
	for _, t := range p.trees {
		list = append(list, t)
	}
	slices.SortFunc(list, byRoot)
	return list
}

func byRoot(x, y *Tree) int { return strings.Compare(x.name, y.name) }

// Waits lists the accounts for which a unit waits, in order of path.
func (p *Partition) Waits() []*Account { return p.waits }

// Unsettled lists the trees with work that is not guaranteed, or that stands
// where its quota's backing does not reach, and those with holds inside their
// quotas, in order of name.
func (p *Partition) Unsettled() []*Tree { return p.unsettled }

// join makes the account one of its tree's.
func (a *Account) join() {
	p := a.partition
	t := p.trees[a.tree]
	if t == nil {
		t = &Tree{name: a.tree, backing: make([]int, len(p.Islands)), touched: make([]int, len(p.Islands))}
		p.trees[a.tree] = t
	}
	a.root = t
	t.accounts = insertSorted(t.accounts, a, byPath)
	t.backedNodes += a.backedNodes
	t.backers += min(1, a.backedNodes)
}

// quit takes the account out of its tree again.
func (a *Account) quit() {
	t := a.root
	t.accounts = dropSorted(t.accounts, a, byPath)
	t.backedNodes -= a.backedNodes
	t.backers -= min(1, a.backedNodes)
	t.usage, t.stays, t.version = t.usage-a.usage, t.stays-a.stays, t.version+1
	a.idle()
}

// touch says that the account's work or backing changed.
func (a *Account) touch() {
	a.version++
	a.root.version++
}

// back makes so many nodes more back the account.
func (a *Account) back(nodes int) {
	was := min(1, a.backedNodes)
	a.backedNodes += nodes
	a.root.backedNodes += nodes
	a.root.backers += min(1, a.backedNodes) - was
}

// spend counts GPUs that work of the account uses, and those that it means to keep.
func (a *Account) spend(usage, stays int) {
	a.usage, a.stays = a.usage+usage, a.stays+stays
	a.root.usage, a.root.stays = a.root.usage+usage, a.root.stays+stays
	if s := a.partition.state; usage != 0 && !a.spent {
		a.spent = true
		s.spent = append(s.spent, a)
	}
}

// stray counts replicas that are not guaranteed, and islands that the account touches too much.
func (a *Account) stray(loose, over int) {
	t := a.root
	was := t.unsettled()
	a.loose, a.over = a.loose+loose, a.over+over
	t.loose, t.over = t.loose+loose, t.over+over
	if t.unsettled() != was {
		a.partition.unsettled = flip(a.partition.unsettled, t, byRoot)
	}
}

func (t *Tree) unsettled() bool { return t.loose > 0 || t.over > 0 || t.insideHolds > 0 }

// await and idle keep the account on the lists of those for which a unit waits.
func (a *Account) await() {
	p, t := a.partition, a.root
	p.note(t)
	p.waits, t.waits = insertSorted(p.waits, a, byPath), insertSorted(t.waits, a, byPath)
}

func (a *Account) idle() {
	p, t := a.partition, a.root
	p.waits, t.waits = dropSorted(p.waits, a, byPath), dropSorted(t.waits, a, byPath)
}

func byPath(x, y *Account) int { return strings.Compare(x.Quota, y.Quota) }

// insertSorted puts x into a sorted list, once, and dropSorted takes it out.
func insertSorted[T any](list []T, x T, compare func(T, T) int) []T {
	if at, found := slices.BinarySearchFunc(list, x, compare); !found {
		return slices.Insert(list, at, x)
	}
	return list
}

func dropSorted[T any](list []T, x T, compare func(T, T) int) []T {
	if at, found := slices.BinarySearchFunc(list, x, compare); found {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// flip puts x into a sorted list, or takes it out if it is there.
func flip[T any](list []T, x T, compare func(T, T) int) []T {
	at, found := slices.BinarySearchFunc(list, x, compare)
	if found {
		return slices.Delete(list, at, at+1)
	}
	return slices.Insert(list, at, x)
}
