package forecast

import "github.com/muster-fleet/muster/internal/fleet"

// When says when a waiting workload should start. It changes nothing.
func When(s *fleet.State, w *fleet.Workload, now fleet.Instant, o Options) Answer {
	if w.State.Ended() || w.State == fleet.RunningW {
		return Answer{Unknown: []Ground{{Kind: NotWaiting, Name: w.Namespace + "/" + w.Name}}}
	}
	return Answer{Unknown: []Ground{{Kind: TooFar}}}
}
