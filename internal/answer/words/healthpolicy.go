package words

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// HealthChange lists what differs between two health policies, each with what it was and becomes; "": nothing.
func HealthChange(was, becomes fleet.HealthPolicy) string {
	before, parts := healthSettings(was), []string(nil)
	for i, s := range healthSettings(becomes) {
		if s != before[i] {
			parts = append(parts, fmt.Sprintf("%s %s → %s", s.name, before[i].is, s.is))
		}
	}
	parts = append(parts, ruleChanges(was.Rules, becomes.Rules)...)
	return strings.Join(parts, ", ")
}

// healthSettings lists the figures of a health policy.
func healthSettings(p fleet.HealthPolicy) []setting {
	return []setting{
		{"shadow", yesNo(p.Shadow)},
		{"budget", p.Budget.Percent()},
		{"breaker", fmt.Sprintf("%s, at least %s, within %s", p.Breaker.Share.Percent(), Count(p.Breaker.Least, "node"), Duration(p.Breaker.Within))},
		{"burst", fmt.Sprintf("%s within %s, cool-down %s", Count(p.Burst.Nodes, "node"), Duration(p.Burst.Within), Duration(p.Burst.CoolDown))},
		{"flap", fmt.Sprintf("%s within %s, cool-down %s", Count(p.Flap.Times, "time"), Duration(p.Flap.Within), Duration(p.Flap.CoolDown))},
		{"lemon", fmt.Sprintf("factor %s, certainty %s, window %s", Fraction(p.Lemon.Factor), p.Lemon.Certainty.Percent(), Duration(p.Lemon.Window))},
		{"hung", Duration(p.Hung)},
	}
}

// ruleChanges says which rules come, go and change, and whether their order does.
func ruleChanges(was, becomes []fleet.HealthRule) (parts []string) {
	before, order := map[string]string{}, []string(nil)
	for _, r := range was {
		before[r.Name] = ruleText(r)
	}
	after := map[string]bool{}
	for _, r := range becomes {
		is, known := before[r.Name]
		after[r.Name] = true
		switch text := ruleText(r); {
		case !known:
			parts = append(parts, fmt.Sprintf("rule %q added (%s)", r.Name, text))
		case is != text:
			parts = append(parts, fmt.Sprintf("rule %q (%s) → (%s)", r.Name, is, text))
		}
		if known {
			order = append(order, r.Name)
		}
	}
	for _, r := range was {
		switch {
		case !after[r.Name]:
			parts = append(parts, fmt.Sprintf("rule %q (%s) removed", r.Name, before[r.Name]))
		case len(order) > 0 && order[0] == r.Name:
			order = order[1:]
		}
	}
	if len(order) > 0 {
		parts = append(parts, "rules in another order")
	}
	return parts
}

// ruleText is all that a rule says.
func ruleText(r fleet.HealthRule) string {
	var parts []string
	add := func(so bool, format string, args ...any) {
		if so {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	list := func(name string, of []string) { add(len(of) > 0, "%s %s", name, strings.Join(of, " ")) }
	list("agents", r.Agents)
	list("checks", r.Checks)
	list("codes", r.Codes)
	list("actions", r.Actions)
	add(r.Fatal, "fatal")
	add(r.Own, "own")
	add(r.Then != "", "then %s", r.Then)
	add(r.Then == "", "then nothing")
	add(r.Times > 0, "times %d", r.Times)
	add(r.Within > 0, "within %s", Duration(r.Within))
	add(r.Lasts > 0, "lasts %s", Duration(r.Lasts))
	add(r.Quiet > 0, "quiet %s", Duration(r.Quiet))
	add(r.Stays > 0, "stays %s", Duration(r.Stays))
	list("needs", r.Needs)
	return strings.Join(parts, ", ")
}
