package fleet

import (
	"slices"
	"time"
)

// Maintained is all that planned work on nodes keeps in the state (maintenance §1). What
// it points at is replaced, never changed in place.
type Maintained struct {
	Updates  []*NodeUpdate `json:"updates,omitempty"`  // in order of their arrival
	Rollouts []*Rollout    `json:"rollouts,omitempty"` // in order of their start
	Zones    []*Zone       `json:"zones,omitempty"`
	Notices  []*Notice     `json:"notices,omitempty"`
	Proofs   []*Proof      `json:"proofs,omitempty"`
	Open     []NodeRef     `json:"open,omitempty"` // nodes with a visit that is not over, in order of its begin
	Agreed   []Agreement   `json:"agreed,omitempty"`
	Stops    []Stop        `json:"stops,omitempty"`
	Measured Measured      `json:"measured,omitzero"`
}

// Agreement is an owner's word that a workload stops at a moment, for the visits of its nodes.
type Agreement struct {
	ID uint64  `json:"id"`
	At Instant `json:"at"`
	By string  `json:"by,omitempty"`
}

// Stop is a workload that stopped as a whole, and waits until its nodes were visited.
type Stop struct {
	ID        uint64  `json:"id"`
	Partition string  `json:"partition"`
	Nodes     []int   `json:"nodes"` // indexes into Partition.Nodes
	At        Instant `json:"at"`
	Rollout   string  `json:"rollout,omitempty"` // whose visits it waits for
	Notice    string  `json:"notice,omitempty"`  // or the announced maintenance that it stopped for
}

// For names what a workload stopped for: "rollout r" or "maintenance m".
func (st Stop) For() string {
	if st.Notice != "" {
		return "maintenance " + st.Notice
	}
	return "rollout " + st.Rollout
}

// MaintenancePolicy is what an operator may set for planned work. All zero means the defaults.
type MaintenancePolicy struct {
	Horizon    time.Duration `json:"horizon"`    // within it a node with a visit ahead is leaving
	Lead       time.Duration `json:"lead"`       // between the announcement of a visit under in-quota work and its begin
	Validation time.Duration `json:"validation"` // how long the validation after a visit takes
	KeepRoom   time.Duration `json:"keepRoom"`   // the room of work that stopped is kept so long
	// ZoneDays is how many days of a quarter the owners of a tree of quotas may keep updates away from its nodes; 0: as many as they like.
	ZoneDays int `json:"nfzDays,omitempty"`
}

// OrDefault is the policy, or the contract's defaults where none was set.
func (p MaintenancePolicy) OrDefault() MaintenancePolicy {
	if p == (MaintenancePolicy{}) {
		return MaintenancePolicy{Horizon: 24 * time.Hour, Lead: 72 * time.Hour, KeepRoom: time.Hour}
	}
	return p
}

// Kept is what maintenance keeps; empty where there is none. It is read, not changed.
func (s *State) Kept() *Maintained {
	if s.Maintained == nil {
		return &Maintained{}
	}
	return s.Maintained
}

// maintained is what maintenance keeps, made where there was nothing, for a change that concerns every rollout.
func (s *State) maintained() *Maintained {
	s.lookAtAll()
	return s.made()
}

// made is what maintenance keeps, made where there was nothing.
func (s *State) made() *Maintained {
	s.plans++
	if s.Maintained == nil {
		s.Maintained = &Maintained{}
		s.lookAtAll()
	}
	return s.Maintained
}

func (m *Maintained) clone() *Maintained {
	if m == nil {
		return nil
	}
	c := *m
	c.Updates, c.Rollouts, c.Zones = slices.Clone(m.Updates), slices.Clone(m.Rollouts), slices.Clone(m.Zones)
	c.Notices, c.Proofs, c.Open = slices.Clone(m.Notices), slices.Clone(m.Proofs), slices.Clone(m.Open)
	c.Agreed, c.Stops = slices.Clone(m.Agreed), slices.Clone(m.Stops)
	c.Measured = m.Measured.clone()
	return &c
}

func find[T any](list []*T, is func(*T) bool) *T {
	if at := slices.IndexFunc(list, is); at >= 0 {
		return list[at]
	}
	return nil
}

// Update finds an update by name, or nil; and so do Rollout, Zone and Notice.
func (m *Maintained) Update(name string) *NodeUpdate {
	return find(m.Updates, func(u *NodeUpdate) bool { return u.Name == name })
}

// Rollout finds a rollout by name, or nil.
func (m *Maintained) Rollout(name string) *Rollout {
	return find(m.Rollouts, func(r *Rollout) bool { return r.Name == name })
}

// Zone finds a zone by name, or nil.
func (m *Maintained) Zone(name string) *Zone {
	return find(m.Zones, func(z *Zone) bool { return z.Name == name })
}

// Notice finds an announced maintenance by name, or nil.
func (m *Maintained) Notice(name string) *Notice {
	return find(m.Notices, func(n *Notice) bool { return n.Name == name })
}

// Verdict is what is known of a configuration on a GPU model.
func (m *Maintained) Verdict(gpu, hash string) Verdict {
	if p := find(m.Proofs, func(p *Proof) bool { return p.GPU == gpu && p.Hash == hash }); p != nil {
		return p.Verdict
	}
	return Untested
}

// put replaces the thing of a name, or adds it.
func put[T any](list []*T, x *T, same func(*T) bool) []*T {
	if at := slices.IndexFunc(list, same); at >= 0 {
		list[at] = x
		return list
	}
	return append(list, x)
}

// SetUpdate keeps an update.
func (s *State) SetUpdate(u NodeUpdate) {
	m := s.maintained()
	if m.Measured.Since == 0 {
		m.Measured.Since = u.Record.Added
	}
	m.Updates = put(m.Updates, &u, func(o *NodeUpdate) bool { return o.Name == u.Name })
}

// SetRollout keeps a rollout. Of one that goes on it concerns no other.
func (s *State) SetRollout(r Rollout) {
	m := s.made()
	if was := m.Rollout(r.Name); was == nil || was.State != RolloutRunning || r.State != RolloutRunning || was.Joined != r.Joined {
		s.lookAtAll()
	} else {
		s.lookAtRollout(r.Name)
	}
	m.Rollouts = put(m.Rollouts, &r, func(o *Rollout) bool { return o.Name == r.Name })
}

// SetZone keeps a zone.
func (s *State) SetZone(z Zone) {
	m := s.maintained()
	m.Zones = put(m.Zones, &z, func(o *Zone) bool { return o.Name == z.Name })
}

// SetNotice keeps an announced maintenance.
func (s *State) SetNotice(n Notice) {
	m := s.maintained()
	m.Notices = put(m.Notices, &n, func(o *Notice) bool { return o.Name == n.Name })
	for _, name := range n.Nodes {
		if p, _ := s.FindNode(name); p != nil {
			p.Unalign() // what is sustainable may be lower, or higher again
		}
	}
}

// SetProof keeps the verdict on a configuration. It concerns the rollouts that lead there.
func (s *State) SetProof(p Proof) {
	m := s.made()
	s.look, s.judged = true, append(slices.Clip(s.judged), LeadTo(p.GPU, p.Hash))
	m.Proofs = put(m.Proofs, &p, func(o *Proof) bool { return o.GPU == p.GPU && o.Hash == p.Hash })
}

// SetVisit keeps where the visit of a node stands; one that ends leaves its marks on
// the node, its rollout and its notice.
func (s *State) SetVisit(p *Partition, node int, v Visit) {
	if s.Maintained == nil {
		s.maintained()
	}
	m, n := s.Maintained, p.Nodes[node]
	s.plans++
	s.lookAtNode(p, node)
	ref := NodeRef{p.ID, node}
	was := n.Visit
	n.Visit = &v
	if was != nil && was.Key == v.Key && m.measure(p.GPU, *was, v) {
		s.lookAtLengths()
	}
	switch {
	case !v.State.Ended() && (was == nil || was.Key != v.Key):
		m.Open = append(m.Open, ref)
		m.expose(p, node, v)
		s.beginVisit(p, n, v)
	case v.State.Ended():
		m.Open = slices.DeleteFunc(m.Open, func(o NodeRef) bool { return o == ref })
		m.exposed(p, node, v)
		s.endVisit(p, n, v)
	}
	p.Touch()
}

func (s *State) beginVisit(p *Partition, n *Node, v Visit) {
	r := s.Maintained.Rollout(v.Rollout)
	if r == nil || r.Began != 0 && !v.Canary {
		return
	}
	s.SetRollout(*r.changed(func(r *Rollout) {
		if r.Began == 0 {
			r.Began = v.Began
		}
		if v.Canary {
			r.Trials = append(slices.Clip(r.Trials), Trial{
				Node: n.Name, GPU: p.GPU, Updates: v.Updates, Hash: n.Runs.With(v.Brings...).Hash(),
			})
		}
	}))
}

func (s *State) endVisit(p *Partition, n *Node, v Visit) {
	if v.State == VisitDone {
		n.Runs = n.Runs.With(v.Brings...)
		n.Forced = n.Forced && len(v.Brings) == 0
		s.lookAtOthers(p, n, v)
	}
	if r := s.Maintained.Rollout(v.Rollout); r != nil && (v.Canary || v.State == VisitFailed) {
		s.SetRollout(*r.changed(func(r *Rollout) { r.visited(n, v) }))
	}
	if o := s.Maintained.Notice(v.Notice); o != nil {
		c := *o
		c.Over = append(slices.Clip(c.Over), n.Name)
		s.SetNotice(c)
	}
}

// lookAtOthers says that a node runs something else, where another rollout has it that may have been done there.
func (s *State) lookAtOthers(p *Partition, n *Node, v Visit) {
	if slices.ContainsFunc(s.Maintained.Rollouts, func(r *Rollout) bool { return r.Open() && r.Name != v.Rollout && r.Covers(p, n) }) {
		s.lookAt(p)
	}
}

// visited takes the end of a visit into the rollout.
func (r *Rollout) visited(n *Node, v Visit) {
	if v.State == VisitFailed && !v.Canary {
		r.Failed = append(slices.Clip(r.Failed), n.Name)
	}
	if !v.Canary {
		return
	}
	r.Trials = slices.Clone(r.Trials)
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Node != n.Name || t.Until != 0 || t.Ended {
			continue
		}
		if t.Until = v.Since.Add(v.Soak); v.State != VisitDone {
			t.Ended, t.Why = true, v.Why
		}
		if v.State == VisitFailed && !r.FailedOn(n.Name) {
			r.Failed = append(slices.Clip(r.Failed), n.Name)
		}
	}
}

// SetRuns keeps what a node is observed to run.
func (s *State) SetRuns(p *Partition, node int, runs Runs) {
	n := p.Nodes[node]
	n.Forced = s.forces(n, runs)
	n.Runs = runs
	s.plans++
	s.lookAt(p)
	p.Touch()
}

// forces says whether the provider brought a node to what it is observed to run: its last visit was the provider's. Where only
// more is known of it than before, nothing was brought.
func (s *State) forces(n *Node, runs Runs) bool {
	if n.Visit == nil || n.Visit.Notice == "" {
		return false
	}
	o := s.Kept().Notice(n.Visit.Notice)
	return o != nil && o.Provider && (n.Forced || !runs.Has(n.Runs))
}

// SetLeaving says that maintenance takes a node within the horizon, or does not any more.
func (p *Partition) SetLeaving(node int, leaving bool, goes, at Instant) {
	n := p.Nodes[node]
	out := n.outByPlan()
	p.pledge(at)
	p.contribute(n, -1)
	n.Leaving, n.Goes = leaving, goes
	p.contribute(n, 1)
	p.replan(node, out)
	p.remember(n.Island, at)
	p.unaligned = true
	p.ground++
	p.renewed()
}

// setPlanned says that planned work keeps a node out, which is no failure of it.
func (p *Partition) setPlanned(node int, planned bool, at Instant) {
	n := p.Nodes[node]
	if n.Planned == planned {
		return
	}
	out := n.outByPlan()
	p.contribute(n, -1)
	n.Planned = planned
	p.contribute(n, 1)
	p.replan(node, out)
	p.remember(n.Island, at)
}

// Plan is SetNode for a step of planned work or, where it is not planned, the end of
// such work: until is the end of a canary's soak.
func (p *Partition) Plan(node int, state NodeState, dead int, signal string, planned bool, until, at Instant) {
	if planned {
		p.setPlanned(node, true, at)
	}
	p.Nodes[node].Until = until
	p.SetNode(node, state, dead, signal, at)
	if !planned || state == Healthy {
		p.setPlanned(node, false, at)
	}
}

// ProbationEnds is when a node in probation is to be healthy: after a canary's soak, or
// what the policy says.
func (s *State) ProbationEnds(n *Node) Instant {
	if n.Until != 0 {
		return n.Until
	}
	return n.Since.Add(s.Policy.Probation)
}

// SetAgreement keeps an owner's word; a moment of 0 takes it back.
func (s *State) SetAgreement(a Agreement) {
	m := s.maintained()
	m.Agreed = slices.DeleteFunc(m.Agreed, func(o Agreement) bool { return o.ID == a.ID })
	if a.At != 0 {
		m.Agreed = append(m.Agreed, a)
	}
}

// AddStop keeps that a workload stopped as a whole for the visits of its nodes, and waits for them.
func (s *State) AddStop(stop Stop) {
	m := s.maintained()
	m.Agreed = slices.DeleteFunc(m.Agreed, func(o Agreement) bool { return o.ID == stop.ID })
	m.Stops = append(m.Stops, stop)
	if r := m.Rollout(stop.Rollout); r != nil {
		s.SetRollout(*r.changed(func(r *Rollout) { r.Asked = append(slices.Clip(r.Asked), stop.ID) }))
	}
	if w := s.Workloads[stop.ID]; w != nil {
		w.Paused = true
		s.requeue(w)
	}
}

// EndStop lets a workload start again.
func (s *State) EndStop(id uint64) {
	m := s.maintained()
	m.Stops = slices.DeleteFunc(m.Stops, func(o Stop) bool { return o.ID == id })
	if w := s.Workloads[id]; w != nil {
		w.Paused = false
		s.requeue(w)
	}
}

// stopsAhead says whether work that starts now may be asked to stop for a rollout: for a deadline, or because its owner
// agreed.
func (m *Maintained) stopsAhead() bool {
	return len(m.Rollouts) > 0 && (len(m.Agreed) > 0 || slices.ContainsFunc(m.Updates, func(u *NodeUpdate) bool { return u.Deadline != 0 }))
}
