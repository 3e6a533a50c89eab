package fleetfile

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// writeHealth writes the health policy, where one is set.
func writeHealth(b *bytes.Buffer, s *fleet.State) {
	if s.Health == nil {
		return
	}
	p := s.Health
	fmt.Fprintln(b, "health:")
	fmt.Fprintf(b, "  shadow: %t\n", p.Shadow)
	fmt.Fprintf(b, "  budget: %s\n", words.Fraction(p.Budget))
	fmt.Fprintf(b, "  breaker: {share: %s, least: %d, within: %s}\n", words.Fraction(p.Breaker.Share), p.Breaker.Least, words.Duration(p.Breaker.Within))
	fmt.Fprintf(b, "  burst: {nodes: %d, within: %s, coolDown: %s}\n", p.Burst.Nodes, words.Duration(p.Burst.Within), words.Duration(p.Burst.CoolDown))
	fmt.Fprintf(b, "  flap: {times: %d, within: %s, coolDown: %s}\n", p.Flap.Times, words.Duration(p.Flap.Within), words.Duration(p.Flap.CoolDown))
	fmt.Fprintf(b, "  lemon: {factor: %s, certainty: %s, window: %s}\n", words.Fraction(p.Lemon.Factor), words.Fraction(p.Lemon.Certainty), words.Duration(p.Lemon.Window))
	fmt.Fprintf(b, "  hung: %s\n", words.Duration(p.Hung))
	if len(p.Rules) == 0 {
		fmt.Fprintln(b, "  rules: []")
		return
	}
	fmt.Fprintln(b, "  rules:")
	for _, r := range p.Rules {
		fmt.Fprintf(b, "    - {%s}\n", strings.Join(ruleTexts(r), ", "))
	}
}

// ruleTexts are the keys of a rule with their values; what a rule leaves out is not written.
func ruleTexts(r fleet.HealthRule) []string {
	parts := []string{"name: " + scalar(r.Name)}
	for _, l := range []struct {
		key  string
		list []string
	}{{"agents", r.Agents}, {"checks", r.Checks}, {"codes", r.Codes}, {"actions", r.Actions}, {"needs", r.Needs}} {
		if len(l.list) > 0 {
			parts = append(parts, l.key+": "+list(l.list))
		}
	}
	if r.Fatal {
		parts = append(parts, "fatal: true")
	}
	if r.Then != "" {
		parts = append(parts, "then: "+string(r.Then))
	}
	if r.Times > 0 {
		parts = append(parts, fmt.Sprintf("times: %d", r.Times))
	}
	for _, d := range []struct {
		key string
		is  time.Duration
	}{{"within", r.Within}, {"lasts", r.Lasts}, {"quiet", r.Quiet}, {"stays", r.Stays}} {
		if d.is > 0 {
			parts = append(parts, d.key+": "+words.Duration(d.is))
		}
	}
	if r.Own {
		parts = append(parts, "own: true")
	}
	return parts
}
