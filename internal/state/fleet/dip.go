package fleet

import "slices"

// Dip is what backed quotas before nodes of a partition became suspect: a node that comes
// back from suspect straight to healthy leaves no trace (semantics §2). It is never changed once made.
type Dip struct {
	Stood []Stood `json:"stood"` // in order of quota
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

// beginDip keeps what backs quotas now.
func (p *Partition) beginDip() {
	if p.dips() {
		return
	}
	d := &Dip{}
	for _, a := range p.Accounts {
		d.Stood = append(d.Stood, Stood{a.Quota, a.GrantNodes(), a.Gang, slices.Clone(a.Backing), a.GangMissing, a.GangIsland})
	}
	p.Dip = d
}

// endDip notes that a node is suspect no more. When none is, what stood before may be put back
// by the same record, or, if the node went out of service, it is forgotten.
func (p *Partition) endDip(to NodeState) {
	if !p.dips() || slices.ContainsFunc(p.Nodes, func(n *Node) bool { return n.State == Suspect }) {
		return
	}
	if p.Dip = &(Dip{p.Dip.Stood, p.state.Number()}); to != Healthy {
		p.Dip = nil
	}
}

// ForgetDip forgets what stood before a dip that this record ended: the backing has been decided since.
func (p *Partition) ForgetDip() {
	if p.Dip != nil && p.Dip.Ended == p.state.Number() {
		p.Dip = nil
	}
}
