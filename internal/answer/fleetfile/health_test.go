package fleetfile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What is written is read back as the same policy, the default and one with everything set.
func TestAHealthPolicySurvivesTheWay(t *testing.T) {
	full := fleet.DefaultHealth()
	full.Shadow, full.Budget, full.Hung = true, 50, time.Hour
	full.Rules = append(full.Rules, fleet.HealthRule{
		Name: "all: of it", Agents: []string{"a b"}, Checks: []string{"#c"}, Codes: []string{"1", "on"}, Actions: []string{"X"}, Fatal: true,
		Then: fleet.Degraded, Times: 2, Within: time.Minute, Lasts: time.Second, Quiet: time.Hour, Stays: 90 * time.Second, Needs: []string{"r3"},
	})
	for _, p := range []fleet.HealthPolicy{fleet.DefaultHealth(), full} {
		s := fleet.NewState()
		s.SetHealthPolicy(p)
		_, f := writtenAndRead(t, s)
		commands, _ := fleetfile.Diff(fleet.NewState(), f)
		is := fleet.DefaultHealth()
		for _, c := range commands {
			if set, ok := c.(core.SetHealthPolicy); ok {
				is = set.Policy
			}
		}
		if !is.Equal(p) {
			t.Errorf("written and read it is %+v", is)
		}
	}
}

func TestAWrongHealthPolicyIsRefusedWithItsPlace(t *testing.T) {
	for text, says := range map[string]string{
		"health: {budgt: 0.1}":                                         "budget",
		"health: {budget: 2}":                                          "budget",
		"health: {flap: {times: 1}}":                                   "times",
		"health: {rules: [{then: suspect}]}":                           "name",
		"health: {rules: [{name: a, then: healthy}]}":                  "then",
		"health: {rules: [{name: a, then: suspect, times: 3}]}":        "within",
		"health: {rules: [{name: a, then: suspect, own: true}]}":       "own",
		"health: {rules: [{name: a}, {name: a}]}":                      "another rule",
		"health: {rules: [{name: a, codes: [79], then: quarantined}]}": "quotes",
		"health: {breaker: {share: 0.2, within: -1m}}":                 "within",
	} {
		_, err := fleetfile.Parse("fleet.yaml", []byte(text), fleetfile.Options{})
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "fleet.yaml:1") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
