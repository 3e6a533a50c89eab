package fleet

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Permille is a share in thousandths, so that policies stay integers.
type Permille int

// PermilleOf rounds a share between 0 and 1 to thousandths.
func PermilleOf(share float64) Permille { return Permille(math.Round(share * 1000)) }

// Float is the share as a number between 0 and 1.
func (p Permille) Float() float64 { return float64(p) / 1000 }

// Percent is the share in words: 15 %, 99.9 %.
func (p Permille) Percent() string { return strconv.FormatFloat(float64(p)/10, 'f', -1, 64) + " %" }

// Policy is the fleet's policy: what an operator may set for all of it. One field of it is a
// buffer policy (Buffer); the health policy (HealthPolicy) stands beside it. Durations are in nanoseconds.
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
		Buffer:      DefaultBuffer(Fixed),
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

const mostZoneDays = 92 // of a quarter

// Check says what is wrong with the policy, or nil.
func (p Policy) Check() error {
	switch {
	case p.Buffer.Check() != nil:
		return p.Buffer.Check()
	case p.Dwell < 0 || p.Probation < 0 || p.StaleAfter < 0 || p.FlexMinimum < 0 || p.MaxGrace < 0 || p.Idle.Window < 0,
		p.Maintenance.Horizon < 0 || p.Maintenance.Lead < 0 || p.Maintenance.Validation < 0 || p.Maintenance.KeepRoom < 0:
		return fmt.Errorf("a duration is negative; durations are zero or more")
	case p.Maintenance.ZoneDays < 0 || p.Maintenance.ZoneDays > mostZoneDays:
		return fmt.Errorf("a quarter has no %d zone days; 0 (no limit) to %d are possible", p.Maintenance.ZoneDays, mostZoneDays)
	}
	return p.Targets.Check()
}

// SetPolicy sets the fleet's policy.
func (s *State) SetPolicy(policy Policy) {
	s.Policy = policy
	s.Policy.Targets = policy.Targets.OrDefault() // a log of before there were targets names none
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
