package fleetfile_test

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var (
	policyBlock = regexp.MustCompile(`(?m)^policy:.*\n(?:  .*\n)+`)
	policyKey   = regexp.MustCompile(`(?m)^  (\w+):`)
)

// documentedPolicy is the policy at the head of the scenario format.
func documentedPolicy(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/contract/scenario-format.md")
	if err != nil {
		t.Fatal(err)
	}
	block := policyBlock.FindString(string(text))
	if block == "" {
		t.Fatal("the scenario format shows no policy")
	}
	return block
}

// The policy that the scenario format shows has every key.
func TestTheScenarioFormatHasEveryKeyOfThePolicy(t *testing.T) {
	shown := map[string]bool{}
	for _, m := range policyKey.FindAllStringSubmatch(documentedPolicy(t), -1) {
		shown[m[1]] = true
	}
	for _, key := range fleetfile.PolicyKeys {
		if !shown[key] {
			t.Errorf("docs/contract/scenario-format.md does not name the key %s of a policy", key)
		}
	}
}

// It says that its values are the defaults.
func TestTheScenarioFormatShowsTheDefaultPolicy(t *testing.T) {
	f, err := fleetfile.Parse("scenario-format.md", []byte(documentedPolicy(t)), fleetfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := fleet.DefaultPolicy()
	want.Maintenance = want.Maintenance.OrDefault()
	if got := f.Policy.Over(otherPolicy()); !reflect.DeepEqual(got, want) {
		t.Errorf("docs/contract/scenario-format.md shows as the default\n%+v\nwhich is\n%+v", got, want)
	}
}
