package fleetfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

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

func shareText(p fleet.Permille) string {
	return strconv.FormatFloat(float64(p)/1000, 'f', -1, 64)
}

// policyChange lists the settings that differ, each with what it was and becomes.
func policyChange(is, want fleet.Policy) string {
	var parts []string
	note := func(name, was, becomes string) {
		if was != becomes {
			parts = append(parts, fmt.Sprintf("%s %s → %s", name, was, becomes))
		}
	}
	span := func(name string, was, becomes time.Duration) {
		note(name, words.Duration(was), words.Duration(becomes))
	}
	note("buffer", is.Buffer.InFull(), want.Buffer.InFull())
	span("dwell", is.Dwell, want.Dwell)
	span("probation", is.Probation, want.Probation)
	span("staleAfter", is.StaleAfter, want.StaleAfter)
	note("idle threshold", shareText(is.Idle.Threshold), shareText(want.Idle.Threshold))
	span("idle window", is.Idle.Window, want.Idle.Window)
	span("flexMinimum", is.FlexMinimum, want.FlexMinimum)
	span("maxGrace", is.MaxGrace, want.MaxGrace)
	was, becomes := is.Maintenance.OrDefault(), want.Maintenance.OrDefault()
	span("maintenance horizon", was.Horizon, becomes.Horizon)
	span("maintenance lead", was.Lead, becomes.Lead)
	span("maintenance validation", was.Validation, becomes.Validation)
	span("maintenance keepRoom", was.KeepRoom, becomes.KeepRoom)
	note("maintenance nfzDays", strconv.Itoa(was.ZoneDays), strconv.Itoa(becomes.ZoneDays))
	note("openReading", strconv.FormatBool(is.OpenReading), strconv.FormatBool(want.OpenReading))
	note("secondPerson", strconv.FormatBool(is.SecondPerson), strconv.FormatBool(want.SecondPerson))
	note("twoPeople", "["+strings.Join(is.TwoPeople.Names(), ", ")+"]", "["+strings.Join(want.TwoPeople.Names(), ", ")+"]")
	note("targets", targetsText(is.Targets), targetsText(want.Targets))
	return strings.Join(parts, ", ")
}

func targetsText(t fleet.Targets) string {
	t = t.OrDefault()
	return fmt.Sprintf("{availability: %s, uptime: %s, mttr: %s}", shareText(t.Availability), shareText(t.Uptime), words.Duration(t.MTTR))
}
