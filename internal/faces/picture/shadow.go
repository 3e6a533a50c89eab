package picture

import (
	"cmp"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// Shadow sums up what became of one kind of thing that Muster would have decided in a
// cluster where it only watches.
type Shadow struct {
	Says      string // what it would have decided: Muster would have started
	Workloads int
	GPUs      int
	Became    []Became // the most frequent first
}

// Became is how many workloads something happened to.
type Became struct {
	What      string // started, still waits, was cancelled, ...
	Workloads int
}

// ShadowsOf sums up what would have been decided, and what became of it: how much of it happened
// anyway is what enforcing would not change.
func ShadowsOf(cases []*musterv1.ShadowCase) (list []Shadow) {
	for _, would := range []struct{ what, says string }{{"start", "Muster would have started"}, {"leave", "Muster would have let leave"}} {
		s := Shadow{Says: would.says}
		count := map[string]int{}
		for _, c := range cases {
			if c.GetWould() == would.what {
				how, _, _ := strings.Cut(c.GetHappened(), " in ") // wherever it started
				count[how]++
				s.Workloads++
				s.GPUs += int(c.GetGpus())
			}
		}
		for how, n := range count {
			s.Became = append(s.Became, Became{how, n})
		}
		slices.SortFunc(s.Became, func(a, b Became) int {
			return cmp.Or(cmp.Compare(b.Workloads, a.Workloads), cmp.Compare(a.What, b.What))
		})
		if s.Workloads > 0 {
			list = append(list, s)
		}
	}
	return list
}

// Line says it in one sentence.
func (s Shadow) Line() string {
	parts := make([]string, len(s.Became))
	for i, b := range s.Became {
		parts[i] = draw.Number(b.Workloads) + " " + becameOf(b.What, b.Workloads)
	}
	return s.Says + " " + draw.Count(s.Workloads, "workload") + " of " + draw.Count(s.GPUs, "GPU") + ": " + strings.Join(parts, ", ")
}

// becameOf says what became of so many workloads: "still waits" of one, "still wait" of several.
func becameOf(what string, workloads int) string {
	if workloads == 1 {
		return what
	}
	for _, form := range [][2]string{{"still waits", "still wait"}, {"still runs", "still run"}, {"was ", "were "}} {
		if rest, ok := strings.CutPrefix(what, form[0]); ok {
			return form[1] + rest
		}
	}
	return what
}

// becameInks are how what became of it looks: what happened anyway solid, what did not as waiting, the rest quiet.
var becameInks = map[string]draw.Ink{"started": draw.Quota, "was evicted": draw.Quota, "still waits": draw.Wait, "still runs": draw.Wait}

// BecameInk is the ink of what became of something.
func BecameInk(what string) draw.Ink {
	if ink, ok := becameInks[what]; ok {
		return ink
	}
	return draw.Metal
}
