package core_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A mistyped name of anything that has one is answered with the name that may be meant.
func TestAMistypedNameIsAskedAbout(t *testing.T) {
	s := fleet.NewState()
	s.SetZone(fleet.Zone{Name: "launch"})
	s.SetRollout(fleet.Rollout{Name: "driver-580"})
	for got, want := range map[*core.Refusal]string{
		core.NoZone(s.Kept().Zones, "lanch"):  `there is no zone "lanch"; did you mean "launch"?`,
		core.NoZone(s.Kept().Zones, "autumn"): `there is no zone "autumn"; muster nfz list shows those there are`,
		core.NoRollout(s, "driver-508"):       `there is no rollout "driver-508"; did you mean "driver-580"?`,
		core.NoHaircut(s, "spring"):           `there is no saved haircut "spring"; muster haircut list shows those there are`,
	} {
		if !strings.HasSuffix(got.Message, want) {
			t.Errorf("%s\nwant %s", got.Message, want)
		}
	}
}
