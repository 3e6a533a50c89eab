package sheet

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// CSV writes a plan's cuts, one line for each, in the order of its waves.
func CSV(h *fleet.Haircut) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{
		"wave", "cluster", "partition", "quota", "owner", "was", "now", "cut", "unscheduled", "idle", "rest",
		"usage", "highest_use_90d", "gang", "below_gang", "class", "fraction",
	})
	for i, wave := range h.Waves {
		for _, part := range wave.Parts {
			for _, c := range part.Cuts {
				_ = w.Write(append([]string{strconv.Itoa(i + 1), text.Cell(wave.Cluster), text.Cell(part.Partition), text.Cell(c.Quota), text.Cell(c.Owner)}, append(
					numbers(c.Was, c.Now, c.GPUs(), c.Unscheduled, c.IdleCut, c.Rest, c.Usage, c.Highest, c.Gang),
					strconv.FormatBool(c.BelowGang()), string(wave.Class), strconv.Itoa(c.Fraction))...))
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

func numbers(list ...int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

// Of is the spreadsheet of what was asked of a state.
func Of(title string, s *fleet.State, ask haircut.Ask, now fleet.Instant) Plan {
	p := Plan{Title: title, Parts: haircut.Inputs(s, ask, now)}
	p.Share, p.Shared = haircut.UniformShare(s, ask)
	return p
}
