package core

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A mistyped flex, where a target is asked for, is told as that; a cluster of a near name is told as a cluster.
func TestAMistypedFlexIsAskedAbout(t *testing.T) {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "flux"})
	for target, want := range map[string]string{
		"flx":      `there is no quota "flx"; did you mean "flex"?`,
		"Flex":     `there is no quota "Flex"; did you mean "flex"?`,
		"flux":     `there is no quota "flux", but a cluster`,
		"research": `there is no quota "research"; muster quota list shows those there are`,
	} {
		if got := checkTarget(s, Actor{User: "ada"}, fleet.Spec{}, target, ""); got == nil || !strings.HasPrefix(got.Message, want) {
			t.Errorf("%s: %v, want %s", target, got, want)
		}
	}
}
