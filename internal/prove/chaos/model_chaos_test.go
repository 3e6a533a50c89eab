package chaos_test

import (
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file writes the lines of stories that play in a house, on top of those
// that every random fleet knows. It draws nothing where there is none, so that
// the other stories stay as they are.

// chaos writes the next line of a story in a house.
func (a *author) chaos() step {
	st := step{after: a.pause()}
	roll := a.upTo(100)
	switch {
	case a.fair && roll < 17:
		return a.ordinary(st)
	case roll < 4:
		st.trick, st.sky = weathers, a.sky()
	case roll < 10:
		st.trick, st.how, st.in = die, pick(a, unsaved, untold), a.upTo(12)
	case roll < 12:
		st.trick = restart
	case roll < 14:
		st.trick = snapshot
	case roll < 17:
		st.trick = resync
	case roll < 27:
		st.trick, st.do = byMail, a.nodes()
	case roll < 31:
		st.trick, st.do = byMail, a.outage()
	case roll < 35:
		st.trick, st.do = byMail, a.repaired()
	default:
		return a.ordinary(st)
	}
	if _, nothing := st.do.(core.Tick); nothing {
		st.trick = none // there are no nodes yet
	}
	return st
}

// ordinary is a line of any random fleet, except for reports of what has not happened.
func (a *author) ordinary(st step) step {
	if len(a.w.open()) > 30 {
		st.do = a.cancel()
		return st
	}
	a.line(&st)
	if a.fair {
		st.trick = none
	}
	switch st.do.(type) {
	case core.ReportFinished, core.ReportStopped, nil:
		if st.trick != none {
			break
		}
		st.do, st.runs = a.submit(), pick(a, 0, 10*time.Minute, time.Hour, 5*time.Hour)
	}
	return st
}

func (a *author) sky() weather {
	if a.chance(30) {
		return weather{}
	}
	return weather{
		Lost: pick(a, 0, 0, 5, 30), Late: pick(a, 0, 20, 60), Doubled: pick(a, 0, 10, 40),
		Delay: pick(a, 10*time.Second, 5*time.Minute, 3*time.Hour), Orders: pick(a, 0, 0, 5*time.Second, 2*time.Minute),
		Salt: uint64(a.upTo(1 << 20)),
	}
}

// outage takes many nodes of one island away at once: a rack, or all of it.
func (a *author) outage() core.Command {
	p := a.partition()
	if len(p.Nodes) == 0 {
		return core.Tick{}
	}
	c := core.SetNodes{State: pick(a, fleet.Quarantined, fleet.Suspect, fleet.Maintenance), Signal: "outage"}
	first, whole := pick(a, p.Nodes...), a.chance(40)
	for _, n := range p.Nodes {
		if n.Island == first.Island && (whole || n.Rack == first.Rack) {
			c.Names = append(c.Names, n.Name)
		}
	}
	return c
}

// repaired brings all nodes of a partition back that are not healthy, on probation or at once.
func (a *author) repaired() core.Command {
	p := a.partition()
	c := core.SetNodes{State: pick(a, fleet.Healthy, fleet.Probation), Signal: "repaired"}
	for _, n := range p.Nodes {
		if n.State != fleet.Healthy {
			c.Names = append(c.Names, n.Name)
		}
	}
	if len(c.Names) == 0 {
		return core.Tick{}
	}
	return c
}
