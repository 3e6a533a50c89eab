package forecast

import "github.com/muster-fleet/muster/internal/fleet"

// History is what is known of how long things really take, beside what was declared.
type History struct{}

// Learn reads a history from what a state remembers.
func Learn(s *fleet.State, now fleet.Instant) *History { return &History{} }
