package buildstudy

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// inTurn are the steps that people start today, each after the one before.
var inTurn = []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices}

// today is when a cluster is in production with people who look every working day at
// 10:00, and do what is next. It meets the same quota, the same tries and the same
// faults. Whatever waits for them from one look to the next counts as waiting on people.
func today(seed uint64, c *cluster, quota fleet.Instant) (produced fleet.Instant, waited time.Duration, touches int) {
	at, faults := quota, c.faults
	seen := func() {
		next := daily(at)
		waited, at, touches = waited+next.Sub(at), next, touches+1
	}
	touches = 1 // the entry
	seen()      // the quota is there: the check-in
	for _, step := range inTurn {
		attempt := 1
		for _, f := range faults {
			if f.step != step {
				continue
			}
			for range f.Times {
				seen()
				at = at.Add(max(f.Takes, takes(seed, c.record.Name, step, attempt)))
				attempt++
			}
		}
		seen()
		at = at.Add(takes(seed, c.record.Name, step, attempt))
	}
	seen() // all of it is green
	return at, waited, touches
}
