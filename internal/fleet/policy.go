package fleet

import (
	"fmt"
	"math"
	"time"
)

// BufferKind names a way to decide how many nodes may be promised.
type BufferKind string

// The buffer kinds. Only Fixed decides today; the others are words of the contract.
const (
	Fixed      BufferKind = "fixed"
	Calibrated BufferKind = "calibrated"
	Binomial   BufferKind = "binomial"
)

// Permille is a share in thousandths, so that policies stay integers.
type Permille int

// PermilleOf rounds a share between 0 and 1 to thousandths.
func PermilleOf(share float64) Permille { return Permille(math.Round(share * 1000)) }

// Buffer is a buffer policy (semantics §2).
type Buffer struct {
	Kind  BufferKind `json:"kind"`
	Share Permille   `json:"share"`
}

// Allows is the number of nodes, in thousandths of a node, that the policy lets
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
	Targets     Targets       `json:"targets,omitzero"`
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

// Check says what is wrong with the policy, or nil.
func (p Policy) Check() error {
	switch {
	case p.Buffer.Kind != Fixed:
		return fmt.Errorf("buffer kind %q is not available yet; use %q", p.Buffer.Kind, Fixed)
	case p.Buffer.Share < 0 || p.Buffer.Share > 1000:
		return fmt.Errorf("buffer share %v is not between 0 and 1", float64(p.Buffer.Share)/1000)
	case p.Dwell < 0 || p.Probation < 0 || p.StaleAfter < 0 || p.FlexMinimum < 0 || p.MaxGrace < 0 || p.Idle.Window < 0:
		return fmt.Errorf("a duration is negative; durations are zero or more")
	}
	return p.Targets.Check()
}
