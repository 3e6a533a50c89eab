package fleetfile

import (
	"fmt"
	"math"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says for people what a change changes. write.go says the same values as a file has them.

func grantText(gpus, gang int) string {
	if gang == 0 {
		return words.Count(gpus, "GPU")
	}
	return fmt.Sprintf("%s with gang %d", words.Count(gpus, "GPU"), gang)
}

func accessText(a fleet.Access) string { return words.Access(a, math.MaxInt) }

func targetsText(t fleet.Targets) string {
	t = t.OrDefault()
	return fmt.Sprintf("{availability: %s, uptime: %s, mttr: %s}", words.Fraction(t.Availability), words.Fraction(t.Uptime), words.Duration(t.MTTR))
}
