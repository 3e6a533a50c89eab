package simulate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Table writes the report for people, within 100 columns: a line per team, one
// for all, and what the run itself was like.
func (r Report) Table(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s %6s %9s %9s %10s %10s %9s %6s %6s %7s\n",
		"TEAM", "JOBS", "MEAN WAIT", "P50 WAIT", "P99 WAIT", "MEAN JCT", "GPU-HOURS", "EVICT", "MENDS", "BROKEN")
	for _, name := range slices.Sorted(maps.Keys(r.Teams)) {
		row(&b, name, r.Teams[name].Figures)
	}
	row(&b, "all", r.Figures)
	fmt.Fprintf(&b, "\nWaits and completion (JCT) in seconds; BROKEN: hours in which a quota was not backed whole.\n")
	fmt.Fprintf(&b, "%s to %s, utilisation %.1f %%, promises broken %d times\n",
		r.From.Format(time.DateTime), r.Until.Format(time.DateTime), 100*r.Utilisation, r.PromisesBroken)
	r.promised(&b)
	r.lost(&b)
	fmt.Fprintf(&b, "%d evictions by the record of the victim's own start, %d workloads evicted over 3 times in an hour\nidle though a waiting one-node flex job fits: %.2f %%\n",
		r.Churn.SameRecord, r.Churn.Restless, 100*r.Churn.Idle)
	r.unended(&b)
	if f := r.Forecasts; f != nil {
		fmt.Fprintf(&b, "%s forecasts, %.1f %% with a moment; of %s settled, %.1f %% held at p50 and %.1f %% at p90 (%.1f s)\n",
			grouped(float64(f.Made)), 100*f.Known, grouped(float64(f.Settled)), 100*f.P50, 100*f.P90, f.Seconds)
	}
	fmt.Fprintf(&b, "invariant violations %d", r.Violations)
	if r.Violation != "" {
		fmt.Fprintf(&b, ", the first: %s", r.Violation)
	}
	fmt.Fprintf(&b, "\n%s decisions in %.1f s, %.1f s of them checks (%s/s without), peak memory %s MB\nseed %d, state %s\n",
		grouped(float64(r.Decisions)), r.WallSeconds, r.Checks, grouped(r.PerSecond), grouped(float64(r.PeakMemory)/1e6), r.Seed, r.StateHash)
	_, err := io.WriteString(w, b.String())
	return err
}

// promised says which share of the promises was kept that could be judged.
func (r Report) promised(b *strings.Builder) {
	for _, p := range r.Promises {
		if judged := p.Kept + p.Broken; judged > 0 {
			fmt.Fprintf(b, "promises of %s over %s: %.2f %% of %s kept, %.1f %% of its nodes held back (%s)\n", p.Partition,
				words.Duration(time.Duration(p.Horizon)*time.Hour), 100*float64(p.Kept)/float64(judged), grouped(float64(judged)),
				100*float64(p.HeldBack)/float64(p.Installed), p.Policy.Kind)
		}
	}
}

// lost says what was held and lost, and what became of interrupted gangs.
func (r Report) lost(b *strings.Builder) {
	l := r.Losses
	fmt.Fprintf(b, "GPU-hours lost %s, of them undone by evictions %s, by faults %s\n", grouped(l.All.Hours()), grouped(l.Evicted.Hours()), grouped(l.Failed.Hours()))
	if l.Interrupted > 0 {
		fmt.Fprintf(b, "%d gangs interrupted, %d mended, %d back to their queue; stood still for %.2f GPU-hours\n",
			l.Interrupted, l.Mended, l.Requeued, l.Still.Hours())
	}
}

// unended says which jobs did not come to their end, and why.
func (r Report) unended(b *strings.Builder) {
	if r.Unfinished > 0 {
		var reasons []string
		for _, code := range slices.Sorted(maps.Keys(r.Reasons)) {
			reasons = append(reasons, fmt.Sprintf("%s %d", code, r.Reasons[code]))
		}
		fmt.Fprintf(b, "%d jobs unfinished: %s\n", r.Unfinished, strings.Join(reasons, ", "))
	}
	if r.Refused > 0 {
		fmt.Fprintf(b, "%d jobs refused, the first: %s\n", r.Refused, r.Refusal)
	}
}

func row(b *strings.Builder, name string, f Figures) {
	fmt.Fprintf(b, "%-18s %6d %9s %9s %10s %10s %9s %6d %6d %7s\n", text.Clip(name, 18), f.Jobs,
		grouped(f.MeanWait), grouped(f.P50Wait), grouped(f.P99Wait), grouped(f.MeanJCT), grouped(f.GPUHours.Hours()),
		f.Evictions, f.Mends, grouped(f.BrokenQuotaHours))
}

// grouped rounds a figure to whole and groups its digits by threes.
func grouped(x float64) string { return text.Group(int64(x + 0.5)) }
