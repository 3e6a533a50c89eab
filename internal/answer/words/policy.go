package words

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// setting is one setting of the fleet's policy, as people read it.
type setting struct{ name, is string }

// always is how many of the settings, from the first on, are said even where they are the defaults.
const always = 3

// settings lists the settings of a policy, those that matter most first.
func settings(p fleet.Policy) []setting {
	m, t := p.Maintenance.OrDefault(), p.Targets.OrDefault()
	return []setting{
		{"buffer", p.Buffer.InFull()},
		{"dwell", Duration(p.Dwell)},
		{"probation", Duration(p.Probation)},
		{"stale after", Duration(p.StaleAfter)},
		{"idle threshold", Fraction(p.Idle.Threshold)},
		{"idle window", Duration(p.Idle.Window)},
		{"flex minimum", Duration(p.FlexMinimum)},
		{"maximum grace", Duration(p.MaxGrace)},
		{"maintenance horizon", Duration(m.Horizon)},
		{"maintenance lead", Duration(m.Lead)},
		{"maintenance validation", Duration(m.Validation)},
		{"maintenance keeps room", Duration(m.KeepRoom)},
		{"no-fly days of quotas a quarter", dayLimit(m.ZoneDays)},
		{"open reading", yesNo(p.OpenReading)},
		{"second person", yesNo(p.SecondPerson)},
		{"two people", "[" + strings.Join(p.TwoPeople.Names(), ", ") + "]"},
		{"target availability", Fraction(t.Availability)},
		{"target uptime", Fraction(t.Uptime)},
		{"target MTTR", Duration(t.MTTR)},
	}
}

// policySet says the policy of the fleet: what matters most, and what differs from the defaults.
func policySet(p fleet.Policy) string {
	defaults, parts := settings(fleet.DefaultPolicy()), []string(nil)
	for i, s := range settings(p) {
		if i < always || s != defaults[i] {
			parts = append(parts, s.name+" "+s.is)
		}
	}
	return "the fleet's policy is now: " + strings.Join(parts, ", ")
}

// PolicyChange lists the settings of the fleet's policy that differ, each with what it was and becomes; "": none.
func PolicyChange(was, becomes fleet.Policy) string {
	before, parts := settings(was), []string(nil)
	for i, s := range settings(becomes) {
		if s != before[i] {
			parts = append(parts, fmt.Sprintf("%s %s → %s", s.name, before[i].is, s.is))
		}
	}
	return strings.Join(parts, ", ")
}

// Fraction is a share as files have it: 0.15.
func Fraction(p fleet.Permille) string { return strconv.FormatFloat(float64(p)/1000, 'f', -1, 64) }

// dayLimit is a limit of days; 0: there is none.
func dayLimit(days int) string {
	if days == 0 {
		return "without limit"
	}
	return strconv.Itoa(days)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
