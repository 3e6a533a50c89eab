package core

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// StartServer says that a server begins to decide. Alive is the last moment at which this
// or another server is known to have run, besides that of the last record.
type StartServer struct{ Alive fleet.Instant }

func (StartServer) command() {}

// LeastGap is the shortest time without a server that the log tells of: a restart and a
// takeover are shorter.
const LeastGap = time.Minute

// startServer notes from when until now no server ran.
func startServer(s *fleet.State, c StartServer, now fleet.Instant) ([]event.Event, *Refusal) {
	since := max(s.Time, min(c.Alive, now))
	if s.Seq == 0 || now.Sub(since) < LeastGap {
		return nil, nil
	}
	return one(event.ServerStarted{Since: since})
}
