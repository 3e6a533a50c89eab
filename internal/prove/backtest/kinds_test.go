package backtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/prove/backtest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// learning names a trial of each kind that learns: binomial=0.99.
func learning(number string) (list []string) {
	for _, kind := range fleet.LearningKinds() {
		list = append(list, string(kind)+number)
	}
	return list
}

// Texts that list the kinds of buffer policies list all of them, and `make promise` tries
// them all: no program writes those lists.
func TestEveryKindOfBufferPolicyStandsWhereTheyAreListed(t *testing.T) {
	for _, path := range []string{
		"Makefile", "docs/promise.md", "docs/scope.md", "docs/contract/semantics.md", "docs/contract/scenario-format.md",
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", path))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range fleet.BufferKinds() {
			if !strings.Contains(string(text), string(kind)) {
				t.Errorf("%s lists kinds of buffer policies, and leaves %s out", path, kind)
			}
		}
	}
}

// The picture tells the policies that are tried apart by their colours.
func TestEveryPolicyHasItsColour(t *testing.T) {
	seen := map[string]string{}
	for _, kind := range backtest.Policies {
		colour := backtest.Colour(kind)
		if other := seen[colour]; colour == "" || other != "" {
			t.Errorf("the colour of %s is %q, and %q has it too", kind, colour, other)
		}
		seen[colour] = kind
	}
}
