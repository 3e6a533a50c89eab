package core

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// AcknowledgeWarning says that the caller has seen a warning, and until when that is
// enough. Key is the warning's own.
type AcknowledgeWarning struct {
	Key   string
	Until fleet.Instant
}

func (AcknowledgeWarning) command() {}

// An acknowledgement lasts at most so long.
const longestAcknowledged = 30 * 24 * time.Hour

func acknowledge(_ *fleet.State, r Request, c AcknowledgeWarning, now fleet.Instant) ([]event.Event, *Refusal) {
	if c.Key == "" || len(c.Key) > MaxText {
		return nil, refuse(Invalid, "a warning is named by its key, of 1 to %d bytes", MaxText)
	}
	if refusal := checkTexts("the warning", c.Key); refusal != nil {
		return nil, refusal
	}
	if c.Until <= now || c.Until > now.Add(longestAcknowledged) {
		return nil, refuse(Invalid, "a warning is acknowledged for up to 30 days from now, not until %s", momentText(c.Until))
	}
	return one(event.WarningAcknowledged{Acknowledgement: fleet.Acknowledgement{Key: c.Key, By: r.Actor.Name, Until: c.Until, Reason: r.Reason}})
}
