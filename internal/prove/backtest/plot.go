package backtest

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The vertical scale of a frontier is broken promises, in ever smaller shares:
// 50 %, 10 %, 1 %, 0.1 %, none.
const mostNines = 4.0

// height is where a realised coverage stands between 0 (half of all kept, or
// fewer) and 1 (9,999 of 10,000, or all).
func height(realised float64) float64 {
	missed := max(1-realised, 1e-9)
	low := -math.Log10(0.5)
	return min(1, max(0, (-math.Log10(missed)-low)/(mostNines-low)))
}

// mark is the letter of a policy in a terminal plot.
func mark(policy string) byte { return policy[0] - 'a' + 'A' }

// panels parts rows by pools and horizon, in order.
func panels(rows []Row) [][]Row {
	var out [][]Row
	for _, r := range rows {
		at := slices.IndexFunc(out, func(p []Row) bool { return p[0].Group == r.Group && p[0].Horizon == r.Horizon })
		if at < 0 {
			at = len(out)
			out = append(out, nil)
		}
		out[at] = append(out[at], r)
	}
	return out
}

// Hours is a number of hours in words: 24 h, 7 days.
func Hours(hours int) string {
	if hours%24 == 0 && hours > 24 {
		return fmt.Sprintf("%d days", hours/24)
	}
	return fmt.Sprintf("%d h", hours)
}

const plotWidth, plotHeight = 60, 9

// Plot draws, for each group and horizon, what was held back (to the right)
// against what was kept (up): the frontier is up and to the left.
func Plot(w io.Writer, rows []Row) error {
	for _, panel := range panels(rows) {
		if _, err := io.WriteString(w, terminal(panel)); err != nil {
			return err
		}
	}
	return nil
}

func terminal(panel []Row) string {
	most := scale(panel)
	grid := make([][]byte, plotHeight)
	for i := range grid {
		grid[i] = []byte(strings.Repeat(" ", plotWidth+1))
	}
	line := row(0.99)
	for x := range grid[line] {
		grid[line][x] = '-'
	}
	for _, r := range panel {
		x := int(math.Round(r.Buffer / most * plotWidth))
		grid[row(r.Realised)][min(plotWidth, x)] = mark(r.Policy)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, horizon %s: kept (up) by mean buffer (right)\n", panel[0].Group, Hours(panel[0].Horizon))
	for i, cells := range grid {
		fmt.Fprintf(&b, "%8s |%s\n", label(i), strings.TrimRight(string(cells), " "))
	}
	fmt.Fprintf(&b, "%8s +%s\n%8s  0 %%%*s\n\n", "", strings.Repeat("-", plotWidth+1), "", plotWidth-2, fmt.Sprintf("%.0f %%", 100*most))
	return b.String()
}

func row(realised float64) int {
	return int(math.Round((1 - height(realised)) * (plotHeight - 1)))
}

func label(i int) string {
	for _, at := range []struct {
		realised float64
		text     string
	}{{1, "all"}, {0.999, "99.9 %"}, {0.99, "99 %"}, {0.9, "90 %"}, {0.5, "50 %"}} {
		if row(at.realised) == i {
			return at.text
		}
	}
	return ""
}

// scale is the buffer at the right end: a multiple of 5 %.
func scale(rows []Row) float64 {
	most := 0.05
	for _, r := range rows {
		most = max(most, math.Ceil(r.Buffer*20)/20)
	}
	return most
}
