package fleet

import (
	"slices"
	"strings"
)

// Flex is the target of work that runs on what no in-quota work uses.
const Flex = "flex"

// Access says who may target a quota. The zero value is no list: what that means, Open and Closed say.
type Access struct {
	Users      []string `json:"users,omitempty"`
	Groups     []string `json:"groups,omitempty"`
	Namespaces []string `json:"namespaces,omitempty"`
}

// Unlisted says whether there is no list.
func (a Access) Unlisted() bool { return len(a.Users)+len(a.Groups)+len(a.Namespaces) == 0 }

// Open says whether everyone may target the quota: it has no list, and callers do not sign in.
func (a Access) Open(signIn bool) bool { return a.Unlisted() && !signIn }

// Closed says whether of the callers those alone may target the quota who may give it a list:
// it has none, and callers sign in.
func (a Access) Closed(signIn bool) bool { return a.Unlisted() && signIn }

// Allows says whether a user with these groups, in this namespace, may target the quota. Of
// callers who sign in Closed judges first.
func (a Access) Allows(user string, groups []string, namespace string) bool {
	return a.Unlisted() || (user != "" && slices.Contains(a.Users, user)) || a.allowsNamespace(groups, namespace) ||
		slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(a.Groups, g) })
}

// allowsNamespace compares with the list's entries, written cluster/namespace
// or, for every cluster, namespace. Where it is known which cluster a namespace is
// of (oak@tiger, or a workload that was seen there), it is another than oak of lion.
func (a Access) allowsNamespace(groups []string, namespace string) bool {
	namespace, cluster, known := strings.Cut(namespace, "@")
	if !known {
		cluster = (&Spec{Groups: groups}).Home()
		known = cluster != ""
	}
	for _, entry := range a.Namespaces {
		of, name, one := strings.Cut(entry, "/")
		if !one {
			of, name = "", entry
		}
		if namespace != "" && name == namespace && (of == "" || !known || of == cluster) {
			return true
		}
	}
	return false
}

// Quota is a node of the quota tree. Its grants live in the partitions' accounts.
type Quota struct {
	Path   string `json:"path"`
	Access Access `json:"access"`
	Owner  string `json:"owner,omitempty"` // who answers for it: a person or a team; see State.OwnerOf
}

// TreeOf is the root of the tree that a quota path belongs to.
func TreeOf(path string) string {
	root, _, _ := strings.Cut(path, "/")
	return root
}

// OwnerOf is who answers for a quota: its own owner, else that of the closest
// quota above it that has one; "" where none is known.
func (s *State) OwnerOf(path string) string {
	for {
		if q := s.quotas[path]; q != nil && q.Owner != "" {
			return q.Owner
		}
		cut := strings.LastIndexByte(path, '/')
		if cut < 0 {
			return ""
		}
		path = path[:cut]
	}
}

// Hold earmarks free capacity of a partition for a quota until a moment or, with
// a user or a namespace (never both), part of the quota's own backing for them
// (semantics §4).
type Hold struct {
	ID        uint64  `json:"id"`
	Quota     string  `json:"quota"`
	Partition string  `json:"partition"`
	GPUs      int     `json:"gpus"`
	Until     Instant `json:"until"`
	User      string  `json:"user,omitempty"`
	Namespace string  `json:"namespace,omitempty"`
	Work      string  `json:"work,omitempty"`  // only for this workload of the namespace, which stopped for visits of its nodes
	Since     Instant `json:"since,omitempty"` // of one inside a quota: when it was placed
}

// Account is what one quota has in one partition.
type Account struct {
	Quota       string    `json:"quota"`
	Grant       int       `json:"grant"`          // GPUs assigned by people, with those that end
	Gang        int       `json:"gang,omitempty"` // GPUs of the largest block that must fit in one island
	Overcommit  bool      `json:"overcommit,omitempty"`
	Temporary   Temporary `json:"temporary,omitzero"`    // what of the grant ends
	Passing     bool      `json:"passing,omitempty"`     // nothing is left of the grant when that has ended
	Ending      bool      `json:"ending,omitempty"`      // the grant is no more: the account goes with the last of its work
	Backing     []int     `json:"backing"`               // whole nodes, per island
	GangMissing int       `json:"gangMissing,omitempty"` // GPUs that the declared gang lacks in GangIsland; 0: backed or none declared
	GangIsland  int       `json:"gangIsland,omitempty"`  // island of the declared gang, or the best one for it
	Highs       []DayHigh `json:"highs,omitempty"`       // see HighestUse; oldest first

	// Derived.
	partition   *Partition
	tree        string
	serial      uint64 // no other account of the partition has it, or had it
	root        *Tree
	islands     []int       // where nodes back it or its work touches some, in order
	touched     []int       // nodes with staying in-quota work of the quota, per island
	usage       int         // GPUs held or reserved, each counted once (semantics §1)
	stays       int         // GPUs held or reserved by replicas that stay
	gpusAs      [5]int      // GPUs that its work holds, by how (Holds)
	loose       int         // staying replicas that are not guaranteed
	over        int         // islands where it touches more nodes than back it
	stuck       footing     // when its idle backing could last not move to where its work stands uncovered
	backedNodes int         // nodes that back it
	version     uint64      // grows with every change of its work or backing
	level       int         // usage at the end of the last record
	spent       bool        // it is on State.spent
	work        []*Workload // workloads with replicas here, in the quota's order
	queue       queue
	insideHolds []*Hold // inside the quota, see Holds
}

// Tree is the root of the account's quota tree.
func (a *Account) Tree() string { return a.tree }

// BackedNodes is the number of nodes that back the grant, over all islands.
func (a *Account) BackedNodes() int { return a.backedNodes }

// short is 1 if not all whole nodes of the grant are backed, else 0.
func (a *Account) short() int {
	if a.backedNodes < a.GrantNodes() {
		return 1
	}
	return 0
}

// GrantNodes is the whole nodes of the grant: what can be backed of it.
func (a *Account) GrantNodes() int { return a.Grant / a.partition.GPUsPerNode }

// Fraction is the GPUs of the grant beyond its whole nodes: assigned, and never
// backed (semantics §3.2).
func (a *Account) Fraction() int { return a.Grant % a.partition.GPUsPerNode }

// WaitsForIsland is how many nodes of the grant may be unbacked although they are
// promisable. They wait for the island where the quota's first work stands, rather
// than move under other work of the quota (semantics §3.3). 0 unless its work
// stands uncovered in several islands.
func (a *Account) WaitsForIsland() int {
	islands, nodes := 0, 0
	for i, touched := range a.touched {
		if n := touched - a.Backing[i]; n > 0 {
			islands, nodes = islands+1, nodes+n
		}
	}
	if islands < 2 {
		return 0
	}
	return max(0, min(nodes, a.GrantNodes()-a.backedNodes))
}

// BackedGPUs is the backed part of the grant in GPUs: what a researcher sees as quota.
func (a *Account) BackedGPUs() int { return a.BackedNodes() * a.partition.GPUsPerNode }

// Touched is the number of nodes in an island on which in-quota work of this quota stays.
func (a *Account) Touched(island int) int { return a.touched[island] }

// Islands lists the islands in which nodes back the quota, or its work touches
// some, as indexes in order. The slice is the account's own.
func (a *Account) Islands() []int { return a.islands }

// Usage is the GPUs that workloads of the quota hold or have reserved in the partition.
func (a *Account) Usage() int { return a.usage }

// Stays is the GPUs that the account's work holds or has reserved and means to keep.
func (a *Account) Stays() int { return a.stays }

// Loose is the number of staying replicas that are not guaranteed.
func (a *Account) Loose() int { return a.loose }

// Over is the number of islands where the account's work touches more nodes than back it.
func (a *Account) Over() int { return a.over }

// Version grows with every change of the account's work or backing, and of what
// time does to them: what was derived from both holds as long as it stays.
func (a *Account) Version() uint64 { return a.version + a.partition.changes.Ages }

// countReplica counts a replica that is not guaranteed into (sign 1) or out of (−1) the account.
func (a *Account) countReplica(r Replica, sign int) {
	if a != nil && r.Phase != Leaving && r.HeldAs != HoldsGuaranteed {
		a.stray(sign, 0)
	}
}

// GPUsAs is the GPUs that workloads of the account hold so, those on their way out
// among them and what is only reserved not.
func (a *Account) GPUsAs(h HeldAs) int { return a.gpusAs[h] }

// holdsBy counts a replica of the workload into (sign 1) or out of (−1) what its account holds.
func (w *Workload) holdsBy(pool int, r Replica, sign int) {
	if w.account != nil && r.Phase != Reserved {
		w.account.gpusAs[r.HeldAs] += sign * w.Pools[pool].GPUs
	}
}

// Work lists the workloads that hold or reserve GPUs under this account, in the
// quota's order. The slice is the account's own.
func (a *Account) Work() []*Workload { return a.work }

func sum(xs []int) int {
	t := 0
	for _, x := range xs {
		t += x
	}
	return t
}
