package fleet

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// BufferKind names a way to decide how many nodes may be promised.
type BufferKind string

// The buffer kinds.
const (
	Fixed      BufferKind = "fixed"
	Calibrated BufferKind = "calibrated"
	Binomial   BufferKind = "binomial"
)

// Permille is a share in thousandths, so that policies stay integers.
type Permille int

// PermilleOf rounds a share between 0 and 1 to thousandths.
func PermilleOf(share float64) Permille { return Permille(math.Round(share * 1000)) }

// Float is the share as a number between 0 and 1.
func (p Permille) Float() float64 { return float64(p) / 1000 }

// Buffer is a buffer policy (semantics §2).
type Buffer struct {
	Kind  BufferKind `json:"kind"`
	Share Permille   `json:"share"` // held back under Fixed
	// Of the kinds that learn: which share of the promises is to be kept, and the
	// least and the largest share held back.
	Confidence Permille `json:"confidence,omitempty"`
	Floor      Permille `json:"floor,omitempty"`
	Ceiling    Permille `json:"ceiling,omitempty"`
}

// Learning is a policy of a kind that learns, with the defaults of the contract:
// confidence 99 %, floor 2 %, ceiling 30 %.
func Learning(kind BufferKind) Buffer {
	return Buffer{Kind: kind, Confidence: 990, Floor: 20, Ceiling: 300}
}

// learning are the kinds under which what is allowed follows from the past.
var learning = []BufferKind{Calibrated, Binomial}

// BufferKinds lists the kinds, those that learn behind the one that does not.
func BufferKinds() []BufferKind { return append([]BufferKind{Fixed}, learning...) }

// Learns says whether what the policy allows follows from the past.
func (b Buffer) Learns() bool { return slices.Contains(learning, b.Kind) }

// Check says what is wrong with the policy and what would be right, or nil.
func (b Buffer) Check() error {
	switch {
	case b.Kind != Fixed && !b.Learns():
		return fmt.Errorf("buffer kind %q is not known; use %s, %s or %s", b.Kind, Fixed, Calibrated, Binomial)
	case b.Kind == Fixed && (b.Share < 0 || b.Share > 1000):
		return fmt.Errorf("buffer share %v is not between 0 and 1", b.Share.Float())
	case b.Kind == Fixed && (b.Confidence != 0 || b.Floor != 0 || b.Ceiling != 0):
		return fmt.Errorf("a fixed buffer has a share only; confidence, floor and ceiling belong to %s and %s", Calibrated, Binomial)
	case b.Kind == Fixed:
		return nil
	case b.Share != 0:
		return fmt.Errorf("a %s buffer has no share; it has confidence, floor and ceiling", b.Kind)
	case b.Confidence <= 0 || b.Confidence >= 1000:
		return fmt.Errorf("buffer confidence %v is not between 0 and 1, both excluded; 0.99 is usual", b.Confidence.Float())
	case b.Floor < 0 || b.Ceiling > 1000:
		return fmt.Errorf("buffer floor %v and ceiling %v are not between 0 and 1", b.Floor.Float(), b.Ceiling.Float())
	case b.Floor > b.Ceiling:
		return fmt.Errorf("buffer floor %v is above its ceiling %v; the floor is the smaller, as in floor 0.02, ceiling 0.3", b.Floor.Float(), b.Ceiling.Float())
	}
	return nil
}

// Allows is the number of nodes, in thousandths of a node, that a fixed policy lets
// out of installed nodes: (1 − buffer) × installed, not yet rounded, so that a
// partition can add its islands before it rounds once.
func (b Buffer) Allows(installed int) int { return installed * (1000 - int(b.Share)) }

// Policy is what an operator may set for the fleet. Durations are in nanoseconds.
type Policy struct {
	Buffer      Buffer        `json:"buffer"`
	Dwell       time.Duration `json:"dwell"`
	Probation   time.Duration `json:"probation"`
	StaleAfter  time.Duration `json:"staleAfter"`
	FlexMinimum time.Duration `json:"flexMinimum"`
	MaxGrace    time.Duration `json:"maxGrace"`
	Idle        Idle          `json:"idle"`
	// SecondPerson: a haircut must be reviewed by another person than the one who made it.
	SecondPerson bool `json:"secondPerson,omitempty"`
	// OpenReading: everybody who signs in reads all work in full, not their own teams' alone.
	OpenReading bool `json:"openReading,omitempty"`
	// TwoPeople is what one person alone may not do.
	TwoPeople TwoPeople `json:"twoPeople,omitzero"`
	Targets   Targets   `json:"targets,omitzero"`
	// Maintenance is what planned work keeps to; all zero: the defaults.
	Maintenance MaintenancePolicy `json:"maintenance,omitzero"`
}

// Idle says when GPUs count as idle: measured utilisation under Threshold for
// the whole Window.
type Idle struct {
	Threshold Permille      `json:"threshold"`
	Window    time.Duration `json:"window"`
}

// DefaultGrace is the grace of a workload that says nothing (semantics §5).
const DefaultGrace = 30 * time.Second

// DefaultPolicy is the policy everyone starts with: the defaults of the contract.
func DefaultPolicy() Policy {
	return Policy{
		Buffer:      Buffer{Kind: Fixed, Share: 150},
		Dwell:       24 * time.Hour,
		Probation:   24 * time.Hour,
		StaleAfter:  5 * time.Minute,
		FlexMinimum: 30 * time.Minute,
		MaxGrace:    15 * time.Minute,
		Idle:        Idle{Threshold: 50, Window: 4 * time.Hour},
		Targets:     DefaultTargets(),
	}
}

// Silence is how much later than what it tells of a report may be, before the
// order that it answers is given again: as long as reports may stop before a
// cluster is stale, and a minute at least.
func (p Policy) Silence() time.Duration { return max(p.StaleAfter, time.Minute) }

// FlexRun is how long work runs on flex before other namespaces' flex work may take its room.
// Where the policy says 0 it is still a moment: no work is started and evicted at once.
func (p Policy) FlexRun() time.Duration { return max(p.FlexMinimum, time.Nanosecond) }

// Check says what is wrong with the policy, or nil.
func (p Policy) Check() error {
	switch {
	case p.Buffer.Check() != nil:
		return p.Buffer.Check()
	case p.Dwell < 0 || p.Probation < 0 || p.StaleAfter < 0 || p.FlexMinimum < 0 || p.MaxGrace < 0 || p.Idle.Window < 0,
		p.Maintenance.Horizon < 0 || p.Maintenance.Lead < 0 || p.Maintenance.Validation < 0 || p.Maintenance.KeepRoom < 0:
		return fmt.Errorf("a duration is negative; durations are zero or more")
	}
	return p.Targets.Check()
}

// SetPolicy sets the fleet's policy.
func (s *State) SetPolicy(policy Policy) {
	s.Policy = policy
	s.Policy.Targets = policy.Targets.OrDefault() // a log of before there were targets names none
	s.unalignAll()
}

// SetBuffer sets the buffer policy of a scope.
func (s *State) SetBuffer(scope string, buffer Buffer) {
	s.Buffers[scope] = buffer
	s.unalignAll()
}

func (s *State) unalignAll() {
	for _, p := range s.Partitions {
		p.Unalign()
		p.alarms(s)
	}
	for _, id := range sortedIDs(s.Workloads) {
		if w := s.Workloads[id]; w.partition != nil && w.Started != 0 {
			s.alarmsOf(w)
		}
	}
}

// alarms asks for looks when probations and dwells end, as the policy now says.
func (p *Partition) alarms(s *State) {
	p.forecasting(s.Time)
	for _, n := range p.Nodes {
		if n.State == Probation {
			s.alarm(p, s.ProbationEnds(n), ofMetal)
		}
	}
	for _, d := range p.Downs {
		if d.To != Never {
			s.alarm(p, d.To.Add(s.Policy.Dwell), ofMetal)
		}
	}
}
