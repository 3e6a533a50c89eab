package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// WarningAcknowledged says: a person has seen a warning, until when that is enough,
// and why.
type WarningAcknowledged struct {
	fleet.Acknowledgement
}

func (WarningAcknowledged) Kind() string { return "warning.acknowledged" } // Kind is the event's stable name.
