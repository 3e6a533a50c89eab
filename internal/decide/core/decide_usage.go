package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// MeasureUsage says what the GPUs of workloads are seen to do from now on.
type MeasureUsage struct{ Of []Measured }

// Measured is what the GPUs of one workload are seen to do, in thousandths of
// full activity; Tensor and Network may be fleet.Unmeasured. Where SM is, no monitor
// measures the workload any more, and whether it is idle is not known.
type Measured struct {
	Namespace, Name     string
	SM, Tensor, Network fleet.Permille
}

func (MeasureUsage) command() {}

// MaxMeasured bounds one report of usage.
const MaxMeasured = 20_000

// newsworthy is how far a figure must have moved to be worth an event when
// nothing that depends on it changes: ten points. Monitors report every minute,
// and the log is kept for years.
const newsworthy fleet.Permille = 100

// measureUsage tells the news of a report. Workloads that are not there or have
// ended are passed over: a monitor reports what it saw a moment ago.
func measureUsage(s *fleet.State, c MeasureUsage) ([]event.Event, *Refusal) {
	if len(c.Of) > MaxMeasured {
		return nil, refuse(Invalid, "a report of usage has %s; at most %d are allowed", text.Count(len(c.Of), "workload"), MaxMeasured)
	}
	var events []event.Event
	for _, m := range c.Of {
		if refusal := checkMeasured(m); refusal != nil {
			return nil, refusal
		}
		w := s.Workload(m.Namespace, m.Name)
		if w == nil || w.State.Ended() || !news(s, w, m) {
			continue
		}
		events = append(events, event.UsageMeasured{Workload: w.ID, SM: m.SM, Tensor: m.Tensor, Network: m.Network})
	}
	return events, nil
}

func checkMeasured(m Measured) *Refusal {
	if m.SM != fleet.Unmeasured && (m.SM < 0 || m.SM > 1000) {
		return refuse(Invalid, "workload %s/%s: SM activity %d; it is 0 to 1000 thousandths, or %d where no monitor measures any more", clip(m.Namespace), clip(m.Name), m.SM, fleet.Unmeasured)
	}
	for _, f := range []fleet.Permille{m.Tensor, m.Network} {
		if f != fleet.Unmeasured && (f < 0 || f > 1000) {
			return refuse(Invalid, "workload %s/%s: activity %d; it is 0 to 1000 thousandths, or %d where no monitor measured",
				clip(m.Namespace), clip(m.Name), f, fleet.Unmeasured)
		}
	}
	return nil
}

// news says whether a measurement changes what follows from the last one, or a
// figure by so much that people want to see it.
func news(s *fleet.State, w *fleet.Workload, m Measured) bool {
	if m.SM == fleet.Unmeasured || w.Usage == nil {
		return (m.SM != fleet.Unmeasured) != (w.Usage != nil)
	}
	was, now := *w.Usage, fleet.Usage{SM: m.SM, Tensor: m.Tensor, Network: m.Network}
	t := s.Policy.Idle.Threshold
	return (was.IdleSince != 0) != now.Idle(t) || (was.StillSince != 0) != now.Still(t) ||
		moved(was.SM, now.SM) || moved(was.Tensor, now.Tensor) || moved(was.Network, now.Network)
}

func moved(a, b fleet.Permille) bool {
	return max(a, b)-min(a, b) >= newsworthy || (a == fleet.Unmeasured) != (b == fleet.Unmeasured)
}
