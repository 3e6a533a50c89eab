package cli

import (
	"fmt"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// outcomes sums up, for each thing that would have been decided, what became of it: the
// most frequent first. How much of it happened anyway is what enforcing would not change.
func outcomes(cases []*musterv1.ShadowCase) (lines []string) {
	for _, would := range []struct{ what, says string }{{"start", "Muster would have started"}, {"leave", "Muster would have let leave"}} {
		count, all, gpus := map[string]int{}, 0, int64(0)
		for _, c := range cases {
			if c.GetWould() == would.what {
				how, _, _ := strings.Cut(c.GetHappened(), " in ") // wherever it started
				count[how]++
				all++
				gpus += int64(c.GetGpus())
			}
		}
		if all == 0 {
			continue
		}
		var parts []string
		for how, n := range count {
			parts = append(parts, fmt.Sprintf("%d %s", n, how))
		}
		slices.SortFunc(parts, func(a, b string) int {
			na, nb := 0, 0
			_, _ = fmt.Sscan(a, &na)
			_, _ = fmt.Sscan(b, &nb)
			if na != nb {
				return nb - na
			}
			return strings.Compare(a, b)
		})
		lines = append(lines, fmt.Sprintf("%s %s of %s: %s", would.says, counted(int64(all), "workload", "workloads"), counted(gpus, "GPU", "GPUs"), strings.Join(parts, ", ")))
	}
	return lines
}
