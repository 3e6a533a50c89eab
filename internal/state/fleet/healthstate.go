package fleet

import (
	"slices"
	"sort"
)

// StateOwner is who keeps a node in its state: one at a time.
type StateOwner string

// The owners of a node's state. A node in service has none.
const (
	ByNobody      StateOwner = ""
	ByOperator    StateOwner = "operator"
	ByAutomatic   StateOwner = "automatic"
	ByCluster     StateOwner = "cluster" // its driver reported it
	ByMaintenance StateOwner = "maintenance"
)

// PartitionHealth is what automation remembers of a partition.
type PartitionHealth struct {
	// Tripped: since then the breaker is open, and automation waits for a person. 0: it is closed.
	Tripped      Instant  `json:"tripped,omitempty"`
	TrippedNodes int      `json:"trippedNodes,omitempty"` // that it wanted out of service then
	Reset        Instant  `json:"reset,omitempty"`        // when a person last closed it
	Bursts       []*Burst `json:"bursts,omitempty"`       // in order of signature
	// Halted says why nothing new is decided in the partition until a person resets its breaker; "": it is.
	Halted string `json:"halted,omitempty"`
}

// Burst is one signature on many nodes, which is not believed of the nodes.
type Burst struct {
	Signature string  `json:"signature"`
	Since     Instant `json:"since"`
	Last      Instant `json:"last"` // when it was last seen on some node
	Nodes     int     `json:"nodes"`
	Accuses   string  `json:"accuses"`          // workload oak/base, or monitor dcgm
	Real      bool    `json:"real,omitempty"`   // a person says that it is the nodes after all
	Judged    Instant `json:"judged,omitempty"` // when a person said last what it is; 0: it was not judged
}

// SetHealthPolicy sets what automation may do.
func (s *State) SetHealthPolicy(p HealthPolicy) {
	s.Health = &p
	for _, p := range s.Partitions {
		p.Diagnose()
	}
}

// HealthPolicy is what automation may do: the default where none was set.
func (s *State) HealthPolicy() *HealthPolicy {
	if s.Health == nil {
		return &defaultHealth
	}
	return s.Health
}

var defaultHealth = DefaultHealth()

// See takes sightings into the memory of their nodes.
func (s *State) See(sightings []Sighting, at Instant) {
	for _, x := range sightings {
		p, node := s.FindNode(x.Node)
		p.Nodes[node].see(x)
		p.ail(node)
		p.Diagnose()
		if c := s.Cluster(p.Cluster); c != nil {
			c.Heard = at
		}
	}
}

// Ailing lists the nodes that health looks at: those with conditions, and those
// that automation keeps, as indexes in order.
func (p *Partition) Ailing() []int { return p.ailing }

func (p *Partition) ail(node int) {
	at := sort.SearchInts(p.ailing, node)
	if at == len(p.ailing) || p.ailing[at] != node {
		p.ailing = slices.Insert(p.ailing, at, node)
	}
}

// Diagnose says that something changed which the nodes' states may follow from.
func (p *Partition) Diagnose() {
	p.undiagnosed = true
	p.Touch()
}

// Undiagnosed says whether the nodes' states may no longer follow from what is known.
func (p *Partition) Undiagnosed() bool { return p.undiagnosed }

// Diagnosed says that they do, until a moment at which time alone may change it.
func (p *Partition) Diagnosed(until Instant) {
	p.undiagnosed = false
	p.state.alarm(p, until, ofHealth)
}

// KeepNode notes who keeps a node in its state, beside SetNode: what it remembers
// of faults and of the way back.
func (p *Partition) KeepNode(node int, from NodeState, owner StateOwner, signal string, at Instant) {
	n := p.Nodes[node]
	if n.StateOwner == ByAutomatic { // what automation may take besides depends on it
		p.Diagnose()
	}
	n.StateOwner = owner
	if n.State == Healthy || n.State == Probation || n.State == Retired {
		n.StateOwner = ByNobody
	}
	if inService(from) && failed(n.State) || !up(from) && up(n.State) || owner == ByAutomatic {
		p.noteHealth(n, from, owner, signal, at)
	}
	if n.StateOwner == ByAutomatic || n.Health != nil && len(n.Health.Conditions) > 0 {
		p.ail(node)
		p.Diagnose()
	}
}

func inService(s NodeState) bool { return up(s) || s == Suspect }

// failed says whether a node that was in service is recorded as failed in this state.
func failed(s NodeState) bool { return s == Quarantined || s == Repairing || s == Degraded }

func (p *Partition) noteHealth(n *Node, from NodeState, owner StateOwner, signal string, at Instant) {
	if n.Health == nil {
		n.Health = &NodeHealth{}
	}
	h := n.Health
	switch {
	case inService(from) && failed(n.State):
		again := from == Probation || from == Suspect && h.Before == Probation
		h.Faults = append(h.Faults, Fault{At: at, Signal: signal, Again: again})
		if len(h.Faults) > FaultMemory {
			h.Faults = slices.Delete(h.Faults, 0, 1)
		}
	case n.State == Suspect && owner == ByAutomatic:
		h.Before = from
		h.Flaps = append(h.Flaps, at)
		if len(h.Flaps) > FlapMemory {
			h.Flaps = slices.Delete(h.Flaps, 0, 1)
		}
	case up(n.State) && !inService(from):
		if k := len(h.Faults); k > 0 && h.Faults[k-1].Back == 0 {
			h.Faults[k-1].Back = at
		}
	}
	if up(n.State) && !up(from) && owner != ByAutomatic {
		h.Clean, h.Needs = at, nil
	}
}

// Need adds to the checks that a validation must hold before a node returns.
func (p *Partition) Need(node int, needs []string) {
	n := p.Nodes[node]
	if n.Health == nil {
		n.Health = &NodeHealth{}
	}
	n.Health.Needs = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(n.Health.Needs), needs...))))
	if len(n.Health.Needs) == 0 {
		n.Health.Needs = nil
	}
}

// Validated keeps a record of a node's checks.
func (p *Partition) Validated(node int, v Validation) {
	n := p.Nodes[node]
	if n.Health == nil {
		n.Health = &NodeHealth{}
	}
	n.Health.Validation = &v
	if v.Passed {
		n.Health.Clean = v.At
	}
	p.Diagnose()
}

// Burst finds what is known of a signature, or nil.
func (h *PartitionHealth) Burst(signature string) *Burst {
	for _, b := range h.Bursts {
		if b.Signature == signature {
			return b
		}
	}
	return nil
}

// SetBurst keeps what is known of a signature.
func (p *Partition) SetBurst(b Burst) {
	p.EndBurst(b.Signature)
	p.Health.Bursts = append(p.Health.Bursts, &b)
	sort.Slice(p.Health.Bursts, func(i, j int) bool { return p.Health.Bursts[i].Signature < p.Health.Bursts[j].Signature })
	p.Diagnose()
}

// EndBurst forgets a signature.
func (p *Partition) EndBurst(signature string) {
	p.Health.Bursts = remove(p.Health.Bursts, func(b *Burst) bool { return b.Signature == signature })
	if len(p.Health.Bursts) == 0 {
		p.Health.Bursts = nil
	}
	p.Diagnose()
}

// Trip opens the breaker, and ResetBreaker closes it.
func (p *Partition) Trip(nodes int, at Instant) {
	p.Health.Tripped, p.Health.TrippedNodes = at, nodes
	p.Diagnose()
}

// ResetBreaker closes the breaker: what was wanted before no longer counts for it.
func (p *Partition) ResetBreaker(at Instant) {
	p.Health.Tripped, p.Health.TrippedNodes, p.Health.Reset, p.Health.Halted = 0, 0, at, ""
	p.Diagnose()
	p.Unalign()
}

// undiagnose derives which nodes health looks at, and asks for a look.
func (p *Partition) undiagnose(s *State) {
	p.ailing, p.undiagnosed, p.failures = nil, false, nil
	for k, n := range p.Nodes {
		if n.StateOwner == ByAutomatic || n.Health != nil && len(n.Health.Conditions) > 0 {
			p.ailing = append(p.ailing, k)
		}
	}
	if len(p.ailing) > 0 || len(p.Health.Bursts) > 0 {
		p.undiagnosed = true
		s.alarm(p, s.Time, ofHealth)
	}
}

// Own changes which person or program keeps a node's state.
func (p *Partition) Own(node int, owner StateOwner) {
	n := p.Nodes[node]
	n.StateOwner = owner
	if owner == ByAutomatic {
		if n.Health == nil {
			n.Health = &NodeHealth{}
		}
		p.ail(node)
	}
	p.Diagnose()
}
