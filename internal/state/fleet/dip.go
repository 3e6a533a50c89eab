package fleet

import (
	"slices"
	"strings"
)

// Dip is what backed quotas before nodes of a partition became suspect, as far as it has changed since:
// a node that comes back from suspect straight to healthy leaves no trace (semantics §2). It is never
// changed once made.
type Dip struct {
	Stood []Stood `json:"stood,omitempty"` // in order of quota
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

// dips says whether nodes are suspect that were healthy when the dip began.
func (p *Partition) dips() bool { return p.Dip != nil && p.Dip.Ended == 0 }

// beginDip notes that a node is suspect: what backs a quota is kept from now on, before it changes.
func (p *Partition) beginDip() {
	if !p.dips() {
		p.Dip = &Dip{}
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
	p.Dip = &Dip{Stood: list}
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
	p.Dip = &Dip{p.Dip.Stood, p.state.Number()}
}

// ForgetDip forgets what stood before a dip that this record ended: the backing has been decided since.
func (p *Partition) ForgetDip() {
	if p.Dip != nil && p.Dip.Ended == p.state.Number() {
		p.Dip = nil
	}
}
