package fleet

import (
	"cmp"
	"slices"
	"strings"
)

// Dip is what backed quotas before nodes of a partition became suspect, as far as it has changed since:
// a node that comes back from suspect straight to healthy leaves no trace (semantics §2). It is never
// changed once made.
type Dip struct {
	Began Instant `json:"began,omitempty"` // when the first node became suspect
	Stood []Stood `json:"stood,omitempty"` // in order of quota
	// Held is how work held its GPUs before that changed, in order of workload and pool.
	Held []Held `json:"held,omitempty"`
	// Ended is the number of the record by which the last suspect node came back; 0: there are some yet.
	Ended uint64 `json:"ended,omitempty"`
}

// Stood is what backed one quota, and the grant that it had.
type Stood struct {
	Quota       string `json:"quota"`
	Nodes       int    `json:"nodes"` // whole nodes of the grant
	Gang        int    `json:"gang,omitempty"`
	Backing     []int  `json:"backing"` // nodes by island
	GangMissing int    `json:"gangMissing,omitempty"`
	GangIsland  int    `json:"gangIsland,omitempty"`
}

// Held is how the replicas of a pool held their GPUs when a dip began.
type Held struct {
	Workload uint64   `json:"workload"`
	Pool     int      `json:"pool"`
	Started  Instant  `json:"started"` // when the workload had started: since another start its replicas are others
	Nodes    []int    `json:"nodes"`   // by replica
	As       []HeldAs `json:"as"`      // by replica
}

// dips says whether nodes are suspect that were healthy when the dip began.
func (p *Partition) dips() bool { return p.Dip != nil && p.Dip.Ended == 0 }

// beginDip notes that a node is suspect: what backs a quota is kept from now on, before it changes.
func (p *Partition) beginDip(at Instant) {
	if !p.dips() {
		p.Dip = &Dip{Began: at}
	}
}

// keepStood changes an account, and keeps how it stood when the dip began, where it is another now.
func (p *Partition) keepStood(a *Account, change func()) {
	if !p.dips() {
		change()
		return
	}
	was := a.stood()
	change()
	list := slices.Clone(p.Dip.Stood)
	at, known := slices.BinarySearchFunc(list, a.Quota, func(s Stood, quota string) int { return strings.Compare(s.Quota, quota) })
	if !known {
		list = slices.Insert(list, at, was)
	}
	if list[at].equal(a.stood()) {
		list = slices.Delete(list, at, at+1)
	}
	p.Dip = &Dip{Began: p.Dip.Began, Stood: list, Held: p.Dip.Held}
}

// keepHeld changes how replicas of a pool hold their GPUs, and keeps how they did when the dip began,
// where it is otherwise now.
func (p *Partition) keepHeld(w *Workload, pool int, change func()) {
	if w.account == nil || !p.dips() {
		change()
		return
	}
	list := slices.Clone(p.Dip.Held)
	if p.Dip.heldBy(w, pool) == nil {
		list = append(list, heldNow(w, pool))
		slices.SortStableFunc(list, func(a, b Held) int { return cmp.Or(cmp.Compare(a.Workload, b.Workload), a.Pool-b.Pool) })
	}
	change()
	now := heldNow(w, pool)
	list = slices.DeleteFunc(list, func(h Held) bool {
		return h.of(w, pool) && slices.Equal(h.Nodes, now.Nodes) && slices.Equal(h.As, now.As)
	})
	p.Dip = &Dip{Began: p.Dip.Began, Stood: p.Dip.Stood, Held: list}
}

// heldNow is how the replicas of a pool hold their GPUs now.
func heldNow(w *Workload, pool int) Held {
	h := Held{Workload: w.ID, Pool: pool, Started: w.Started}
	for _, r := range w.Replicas[pool] {
		h.Nodes, h.As = append(h.Nodes, r.Node), append(h.As, r.HeldAs)
	}
	return h
}

func (h *Held) of(w *Workload, pool int) bool {
	return h.Workload == w.ID && h.Pool == pool && h.Started == w.Started
}

func (d *Dip) heldBy(w *Workload, pool int) *Held {
	at := slices.IndexFunc(d.Held, func(h Held) bool { return h.of(w, pool) })
	if at < 0 {
		return nil
	}
	return &d.Held[at]
}

// HeldBefore is how each replica of a pool held its GPUs before the dip; as it does now where that
// has not changed or it was not there.
func (d *Dip) HeldBefore(w *Workload, pool int) (list []HeldAs) {
	h, met := d.heldBy(w, pool), map[int]bool{}
	for _, r := range w.Replicas[pool] {
		as := r.HeldAs
		for i := 0; h != nil && i < len(h.Nodes); i++ {
			if h.Nodes[i] == r.Node && !met[i] {
				as, met[i] = h.As[i], true
				break
			}
		}
		list = append(list, as)
	}
	return list
}

// stood is how an account stands now.
func (a *Account) stood() Stood {
	return Stood{a.Quota, a.GrantNodes(), a.Gang, slices.Clone(a.Backing), a.GangMissing, a.GangIsland}
}

func (s Stood) equal(t Stood) bool {
	return s.Quota == t.Quota && s.Nodes == t.Nodes && s.Gang == t.Gang && slices.Equal(s.Backing, t.Backing) &&
		s.GangMissing == t.GangMissing && s.GangIsland == t.GangIsland
}

// endDip notes that a node is suspect no more. When none is, what stood before may be put back
// by the same record, or, if the node went out of service, it is forgotten.
func (p *Partition) endDip(to NodeState) {
	if !p.dips() || p.suspects > 0 {
		return
	}
	if to != Healthy || len(p.Dip.Stood) == 0 {
		p.Dip = nil
		return
	}
	p.Dip = &Dip{p.Dip.Began, p.Dip.Stood, p.Dip.Held, p.state.Number()}
}

// ForgetDip forgets what stood before a dip that this record ended: the backing has been decided since.
func (p *Partition) ForgetDip() {
	if p.Dip != nil && p.Dip.Ended == p.state.Number() {
		p.Dip = nil
	}
}
