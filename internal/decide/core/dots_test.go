package core_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Dots are no names, for files and addresses take them as places; and a target near flex is told as that.
func TestDotsAreNoNamesAndFlexMayBeMeant(t *testing.T) {
	s := fleet.NewState()
	for _, path := range []string{"../../etc", "research/..", "."} {
		_, no := core.Step(s, core.Request{Command: core.CreateQuota{Path: path}, Actor: core.System, Reason: "test"}, 1)
		if no == nil || no.Code != core.Invalid || !strings.Contains(no.Message, "is no name of a quota") {
			t.Errorf("quota %q: %v", path, no)
		}
	}
	work := fleet.Spec{Name: "w", Namespace: "n", Target: "flxe", Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}}}
	_, no := core.Step(s, core.Request{Command: core.Submit{Spec: work}, Actor: core.System, Reason: "test"}, 1)
	if no == nil || no.Code != core.NoSuchQuota || !strings.HasSuffix(no.Message, `did you mean "flex"?`) {
		t.Errorf("the target flxe: %v", no)
	}
}
