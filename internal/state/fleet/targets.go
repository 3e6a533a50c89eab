package fleet

import (
	"errors"
	"time"
)

// Targets is what each cluster shall attain (semantics §6). A field that is zero
// stands for its default.
type Targets struct {
	Availability Permille      `json:"availability,omitempty"` // of installed GPU-time, usable
	Uptime       Permille      `json:"uptime,omitempty"`       // of the time of work, at work
	MTTR         time.Duration `json:"mttr,omitempty"`         // mean time until a failed node is healthy again
}

// DefaultTargets is what everyone aims at to begin with.
func DefaultTargets() Targets {
	return Targets{Availability: 950, Uptime: 900, MTTR: 48 * time.Hour}
}

// OrDefault is the targets with the defaults for what they leave out.
func (t Targets) OrDefault() Targets { return t.over(DefaultTargets()) }

// Under is the targets with those of the fleet for what they leave out.
func (t Targets) Under(fleet Targets) Targets { return t.over(fleet.OrDefault()) }

func (t Targets) over(base Targets) Targets {
	if t.Availability == 0 {
		t.Availability = base.Availability
	}
	if t.Uptime == 0 {
		t.Uptime = base.Uptime
	}
	if t.MTTR == 0 {
		t.MTTR = base.MTTR
	}
	return t
}

// TargetsOf is what a cluster shall attain: its own targets, and the policy's for
// what it has none of its own.
func (s *State) TargetsOf(cluster string) Targets {
	if c := s.clusters[cluster]; c != nil {
		return c.Targets.Under(s.Policy.Targets)
	}
	return s.Policy.Targets.OrDefault()
}

// Check says what is wrong with the targets, or nil.
func (t Targets) Check() error {
	switch {
	case t.Availability < 0 || t.Availability > 1000 || t.Uptime < 0 || t.Uptime > 1000:
		return errors.New("a target for availability or uptime is not between 0 and 1; write a share, as in 0.95")
	case t.MTTR < 0:
		return errors.New("the target for the mean time to repair is negative; write a duration, as in 2d")
	}
	return nil
}
