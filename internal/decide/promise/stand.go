package promise

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// aligner carries one alignment through its steps. Quantities are nodes. It
// knows only the islands where an account stands, not all that it might.
type aligner struct {
	p       *fleet.Partition
	cap     Capacity
	rows    []row // by account
	islands []island
	trees   []tree
	known   map[*fleet.Tree]int // their positions
	runs    int                 // nodes that running gangs take
	total   int                 // nodes that all gangs take
	// declared lists the accounts that declare a gang, largest first, then by path.
	declared []int
	anew     bool    // whether promisable falls or a grant changed: cover may go (rule 4)
	asking   bool    // whether new gangs are being let in
	room     []stand // in which rows have their stands
	marks    []int32 // by node; see newMark
	lastMark int32
}

// row is an account in an alignment.
type row struct {
	account *fleet.Account
	tree    int
	stands  []stand // in order of island
	grant   int
	declared
	running []block
	limit   int // nodes within which its work must come, up to a gang, for that to be backed before loose grants
	runs    int // nodes that running gangs take
	blocks  int // nodes that all its gangs take
	target  int // nodes that the account gets
	have    int // nodes that back it so far
	lends   int // nodes beyond its own covered work that it keeps, because work of its tree stands on them

	firstFor int // the target for which its first work was found, plus 1; 0: not yet
}

// declared is the gang that a grant declares.
type declared struct {
	declare int  // size of the declared gang
	letIn   bool // whether its declared gang may go where it is not yet
	// hopeless: no island would take the declared gang even if no other stood there.
	hopeless bool
	home     int  // island that backs the declared gang at present, or −1
	backed   bool // whether the declared gang is backed
	gang     Gang
}

// stand is an account in an island.
type stand struct {
	island, tree int // tree: index into the island's trees
	before       int // nodes that backed the account when the alignment began
	present      int // nodes that back it now
	touched      int // nodes that its running work touches
	covered      int // of these, those with work that its quota or tree covers
	under        int // nodes that back its running work, and must stay as long as its target allows
	gangNodes
	piece   int  // nodes that back it if its account keeps its largest pieces whole
	backing int  // nodes that back it so far
	usable  bool // whether some of that stands on a usable node
	turn    int  // of the first of that in the quota's order; see noTurn
}

// gangNodes are the nodes of an island that work of an account takes as one piece.
type gangNodes struct {
	runs    int // nodes that its running gangs take
	block   int // nodes that all its gangs take
	mending int // nodes that its guaranteed gangs have lost and are mended with
	first   int // nodes that its first work touches (see findFirst), and those that are mended
}

// keeps is what gangs and running work need of the account's backing there.
func (s *stand) keeps() int { return max(s.under, s.block) }

// island is an island in an alignment.
type island struct {
	whole, share int
	runs         int // nodes that running gangs take
	taken        int // nodes that all gangs take
	declared     int // nodes that declared gangs take of the own share
	homes        int // nodes of the declared gangs that stand here and have not been asked yet
	keeps        int // nodes that gangs and covered work need
	used         int // nodes that back a quota so far
	accounts     []int
	trees        []treeStand
}

// treeStand is a quota tree in an island.
type treeStand struct {
	tree    int
	touched int // nodes that running work of the tree touches
	floor   int // of these, those that its backing covers, its own or lent
	keeps   int // what gangs and running work of its quotas need of their own backing
	backing int // nodes that back the tree so far
}

// needs is what gangs and covered work of the tree need there.
func (t *treeStand) needs() int { return max(t.floor, t.keeps) }

// tree is a quota tree in an alignment.
type tree struct {
	accounts []int
	keeps    int // nodes that its gangs and covered work need
	target   int // nodes that its accounts get
	lacks    int // nodes by which accounts get less than they need for themselves
}

// newAligner begins an alignment, in the room of the partition's last one.
func newAligner(p *fleet.Partition, c Capacity) *aligner {
	m := memoryOf(p)
	if m.spare == nil {
		m.spare = &aligner{}
	}
	al := m.spare
	al.begin(p, c)
	al.enterAll()
	al.countMending()
	al.coverNow()
	sort.SliceStable(al.declared, func(i, j int) bool {
		return al.rows[al.declared[i]].declare > al.rows[al.declared[j]].declare
	})
	if !al.quiet() {
		al.backRunningGangs()
	}
	return al
}

// begin makes the aligner one of a partition with no account in it.
func (al *aligner) begin(p *fleet.Partition, c Capacity) {
	*al = aligner{
		p: p, cap: c, anew: c.Promisable < p.Promisable || p.Regranted,
		rows: resized(al.rows, len(p.Accounts)), islands: resized(al.islands, len(p.Islands)), trees: al.trees[:0], declared: al.declared[:0],
		room: al.room[:0], marks: al.marks, lastMark: al.lastMark, known: al.known,
	}
	if clear(al.known); al.known == nil {
		al.known = map[*fleet.Tree]int{}
	}
	for i, is := range p.Islands {
		was := &al.islands[i]
		*was = island{whole: is.Whole(), share: c.Shares[i], accounts: was.accounts[:0], trees: was.trees[:0]}
	}
}

// resized is a list of so many elements, in the room of another one if that is enough.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// enterAll puts all accounts into the alignment.
func (al *aligner) enterAll() {
	stands := 0
	for _, a := range al.p.Accounts {
		stands += len(a.Islands())
	}
	room := slices.Grow(al.room, stands)
	for k, a := range al.p.Accounts {
		t := al.enterTree(a.Root())
		al.trees[t].accounts = append(al.trees[t].accounts, k)
		room = al.enter(k, t, room)
	}
	al.room = room
}

// enterTree is the position of a tree among those of the alignment, into which it comes if it is new.
func (al *aligner) enterTree(root *fleet.Tree) int {
	t, known := al.known[root]
	if known {
		return t
	}
	t = len(al.trees)
	al.known[root] = t
	al.trees = slices.Grow(al.trees, 1)[:t+1]
	al.trees[t] = tree{accounts: al.trees[t].accounts[:0]} // in the room of one of the last alignment
	return t
}

// quiet says whether there is enough of everything: every grant can be backed
// whole, every declared gang stays where it is, and all that is backed and all
// work too. Then it does not matter what of that are gangs.
func (al *aligner) quiet() bool {
	grants := 0
	for k := range al.rows {
		r := &al.rows[k]
		present := 0
		for _, s := range r.stands {
			present += s.present
			al.islands[s.island].used += s.present
		}
		grants += r.grant
		if r.declare > 0 {
			if r.home < 0 {
				return false
			}
			al.islands[r.home].declared += r.declare
		}
		if present > r.grant || r.account.Over() > 0 {
			return false
		}
	}
	for _, is := range al.islands {
		if is.used > is.whole || is.declared > is.share {
			return false
		}
	}
	return grants <= al.cap.Promisable
}

// enter puts an account into the alignment, as it stands now. Accounts come in order, so each is the last of its islands.
func (al *aligner) enter(k, t int, room []stand) []stand {
	a := al.p.Accounts[k]
	r := &al.rows[k]
	*r = row{account: a, tree: t, grant: a.GrantNodes(), declared: declared{home: -1}}
	from := len(room)
	for _, i := range a.Islands() {
		n, touched := a.Backing[i], a.Touched(i)
		room = append(room, stand{island: i, tree: al.treeIn(t, i), before: n, present: n, touched: touched, covered: touched, backing: n})
		is := al.islandOf(i, k)
		tree := &is.trees[room[len(room)-1].tree]
		tree.touched, tree.backing = tree.touched+touched, tree.backing+n
	}
	r.stands = room[from:len(room):len(room)] // one that is made later gives the row a list of its own
	al.enterWork(k)
	return room
}

// islandOf is an island with an account, the last one so far, in it.
func (al *aligner) islandOf(i, k int) *island {
	is := &al.islands[i]
	is.accounts = append(is.accounts, k)
	return is
}

// enterWork counts what of an account's work is covered, and finds its declared gang.
func (al *aligner) enterWork(k int) {
	r := &al.rows[k]
	a := r.account
	if a.Loose() > 0 {
		al.countCovered(k)
	}
	if r.declare = al.nodes(min(a.Gang, a.Grant)); r.declare > 0 {
		al.declared = append(al.declared, k)
		if i := a.GangIsland; a.GangMissing == 0 && i < len(a.Backing) && a.Backing[i] >= r.declare {
			r.home = i
		}
	}
}

// stand finds, or makes, where an account stands in an island. It holds until the next one is made.
func (al *aligner) stand(k, i int) *stand {
	r := &al.rows[k]
	at := r.indexOf(i)
	if at == len(r.stands) || r.stands[at].island != i {
		r.stands = slices.Insert(r.stands, at, stand{island: i, tree: al.treeIn(r.tree, i)})
		is := &al.islands[i]
		if n, found := slices.BinarySearch(is.accounts, k); !found {
			is.accounts = slices.Insert(is.accounts, n, k)
		}
	}
	return &r.stands[at]
}

// indexOf is the index of an account's stand in an island, or where it would be. It is asked very often.
func (r *row) indexOf(island int) int {
	from, to := 0, len(r.stands)
	for from < to {
		if mid := int(uint(from+to) >> 1); r.stands[mid].island < island {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

// at is where an account stands in an island; nothing of it if it does not.
func (al *aligner) at(k, i int) stand {
	r := &al.rows[k]
	if at := r.indexOf(i); at < len(r.stands) && r.stands[at].island == i {
		return r.stands[at]
	}
	return stand{island: i}
}

func (al *aligner) treeIn(t, i int) int {
	is := &al.islands[i]
	for x := range is.trees {
		if is.trees[x].tree == t {
			return x
		}
	}
	is.trees = append(is.trees, treeStand{tree: t})
	return len(is.trees) - 1
}

func (al *aligner) treeOf(s *stand) *treeStand { return &al.islands[s.island].trees[s.tree] }

// nodes is the number of whole nodes that some GPUs need.
func (al *aligner) nodes(gpus int) int {
	return (gpus + al.p.GPUsPerNode - 1) / al.p.GPUsPerNode
}

func (r *row) missing() int { return r.target - r.have }
