package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// ServerStarted says: a server began to decide again, and from Since until now no server
// had. What happened meanwhile is not known.
type ServerStarted struct {
	Since fleet.Instant `json:"since"`
}

func (ServerStarted) Kind() string { return "server.started" } // Kind is the event's stable name.
