package health

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Finding is a live condition of a node, and what the worst rule that knows it asks for.
type Finding struct {
	Condition *fleet.Condition
	Rule      string          // "" no rule knows it
	Then      fleet.NodeState // "" nothing: it is shown only
	At        fleet.Instant   // since when it is asked for
	Needs     []string
	Own       bool // it counts against the work, not the node
	Held      Held // why it is not listened to; "": it is
}

// look is a moment at which nodes are looked at, and when to look again.
type look struct {
	policy *fleet.HealthPolicy
	now    fleet.Instant
	again  fleet.Instant
}

func (l *look) wake(at fleet.Instant) {
	if at > l.now && at < l.again {
		l.again = at
	}
}

// finding says what is asked for because of a condition. over is when it stopped to ask for
// anything plus how long a suspect stays after it; 0 if it never asked.
func (l *look) finding(h *fleet.NodeHealth, c *fleet.Condition) (f Finding, live bool, over fleet.Instant) {
	f = Finding{Condition: c}
	for i := range l.policy.Rules {
		r := &l.policy.Rules[i]
		if !r.Knows(c) {
			continue
		}
		asks, at, ended := l.asks(r, h, c)
		switch {
		case asks && (f.Rule == "" || r.Then.Severity() > f.Then.Severity()):
			f.Rule, f.Then, f.At, f.Needs, f.Own = r.Name, r.Then, at, r.Needs, r.Own
		case asks || r.Then == "":
		case ended != 0:
			over = max(over, ended.Add(r.Stays))
		}
		if f.Rule == "" { // known, though nothing is asked for yet
			f.Rule, f.Own = r.Name, r.Own
		}
		live = live || l.lives(r, h, c)
		if r.Then == "" {
			break // it excuses the node: later rules are not asked
		}
	}
	if f.Rule == "" {
		live = h.Live(c)
	}
	return f, live, over
}

// lives says whether the condition still is, as the rule understands it.
func (l *look) lives(r *fleet.HealthRule, h *fleet.NodeHealth, c *fleet.Condition) bool {
	return h.Live(c) && (r.Quiet == 0 || l.now < c.Last.Add(r.Quiet))
}

// asks says whether the rule asks for its state now and since when; and if it
// does not, when it stopped.
func (l *look) asks(r *fleet.HealthRule, h *fleet.NodeHealth, c *fleet.Condition) (asks bool, at, ended fleet.Instant) {
	if !h.Live(c) {
		return false, 0, max(h.Clean, c.Cleared)
	}
	if r.Quiet > 0 {
		end := c.Last.Add(r.Quiet)
		if l.now >= end {
			return false, 0, end
		}
		l.wake(end)
	}
	at = c.Since.Add(r.Lasts)
	if l.now < at {
		l.wake(at)
		return false, 0, 0
	}
	if r.Times > 1 {
		nth, enough := l.often(r, h, c)
		if !enough {
			return false, 0, 0
		}
		at = max(at, nth)
	}
	return true, at, 0
}

// often says whether the condition was seen often enough within the rule's time,
// and when it became so. It wakes when it no longer is.
func (l *look) often(r *fleet.HealthRule, h *fleet.NodeHealth, c *fleet.Condition) (nth fleet.Instant, enough bool) {
	from := max(back(l.now, r.Within), h.Clean, c.Cleared)
	var counted []fleet.Instant
	for _, s := range c.Seen {
		if !s.Well && s.At > from {
			counted = append(counted, s.At)
		}
	}
	if len(counted) < r.Times {
		return 0, false
	}
	l.wake(counted[len(counted)-r.Times].Add(r.Within))
	return counted[r.Times-1], true
}

// back is a moment that lies so far back, and never before the log began.
func back(now fleet.Instant, d time.Duration) fleet.Instant { return max(0, now.Add(-d)) }
