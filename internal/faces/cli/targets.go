package cli

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// targetsOptions are those of `muster targets`.
type targetsOptions struct {
	*app
	window
	cluster string
}

func newTargets(a *app) *cobra.Command {
	o := &targetsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "targets [CLUSTER]",
		Short: "what each cluster attained of its targets, what is left of its budgets, and what burned them",
		Long: `Targets compares each cluster with the targets of the policy:
  availability  the share of installed GPU-time that was usable
  uptime        the share of the time of work that it was at work: gangs that stand still, interrupted work
                that waits to start again, and work since the last checkpoint that was undone are lost;
                hardware and maintenance count, evictions stand apart
  mttr          the mean time until a failed node was healthy again
The budget is what may be lost in the window without missing the target.`,
		Example: "  muster targets\n  muster targets tiger --since 90d\n  muster targets --exit-code",
		Args:    needs(0, 1, "at most one cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cluster = first(args)
			if err := o.window.check(); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.window.flags(a, cmd)
	return cmd
}

func (o *targetsOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Past.Targets(ctx, &musterv1.TargetsRequest{AsOf: o.asOf.message(), Since: o.window.from(), Cluster: o.cluster})
	if err != nil {
		return answer{}, err
	}
	t := newTable("There are no clusters yet; muster apply -f FILE adds them.",
		column{head: "CLUSTER", name: true}, column{head: "WHAT"}, column{head: "TARGET", right: true}, column{head: "ATTAINED", right: true},
		column{head: "MET"}, column{head: "BUDGET LEFT"}, column{head: "BUDGET", right: true, wide: true}, column{head: "BURNED", right: true, wide: true},
		column{head: "BURNED BY", folds: true})
	var rows []covering
	ans := answer{message: res, table: t, lead: func(p *page) { p.coveredBy(rows, &o.window) }}
	for _, one := range res.GetTargets() {
		if len(rows) == 0 || rows[len(rows)-1].name != one.GetCluster() { // a row for each target
			rows = append(rows, covering{one.GetCluster(), one.GetCovered()})
		}
		t.add(one.GetCluster(), one.GetWhat(), attainedFigure(one, one.GetTarget()), attainedFigure(one, one.GetAttained()), reached(one),
			budgetLeft(one), figure{one.GetBudgetGpuHours(), gpuHours(one.GetBudgetGpuHours())},
			figure{one.GetBurnedGpuHours(), gpuHours(one.GetBurnedGpuHours())}, burnedBy(one))
		if !one.GetMet() {
			ans.unmet = fmt.Sprintf("%s missed its target for %s", one.GetCluster(), one.GetWhat())
		}
	}
	return ans, nil
}

func attainedFigure(t *musterv1.Target, x float64) figure {
	switch {
	case t.GetWhat() == "mttr" && x == 0:
		return figure{x, nothing}
	case t.GetWhat() == "mttr":
		return figure{x, fmt.Sprintf("%.2f d", x)}
	}
	return figure{x, percent(x)}
}

func reached(t *musterv1.Target) mark {
	switch {
	case t.GetEmpty():
		return mark{"nothing yet", faint}
	case t.GetMet():
		return mark{"yes", good}
	}
	return mark{"no", bad}
}

// budgetLeft draws what is left of a budget; mttr has none.
func budgetLeft(t *musterv1.Target) string {
	if t.GetWhat() == "mttr" || t.GetEmpty() {
		return nothing
	}
	left := 0.0
	if t.GetBudgetGpuHours() > 0 {
		left = 1 - t.GetBurnedGpuHours()/t.GetBudgetGpuHours()
	}
	return fmt.Sprintf("%s %4.0f %%", bar(int32(math.Round(100*max(0, left))), 100, 10), 100*left)
}

// burnedBy says the causes that burned most. What evictions took burned nothing: it stands apart.
func burnedBy(t *musterv1.Target) string {
	const (
		most        = 3
		nothingMuch = 0.05 // days; it would be shown as 0.0
	)
	var parts []string
	left, evicted := 0, 0.0
	for _, b := range t.GetBurnedBy() {
		switch {
		case strings.HasPrefix(b.GetCause(), "evicted: "):
			evicted += b.GetGpuHours()
		case len(parts) == most, t.GetWhat() == "mttr" && b.GetDays() < nothingMuch:
			left++
		case t.GetWhat() == "mttr":
			parts = append(parts, fmt.Sprintf("%s %.1f d", b.GetCause(), b.GetDays()))
		default:
			parts = append(parts, fmt.Sprintf("%s %s", b.GetCause(), gpuHours(b.GetGpuHours())))
		}
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("%d more", left))
	}
	if evicted > 0 {
		parts = append(parts, "apart: evictions "+gpuHours(evicted))
	}
	return strings.Join(parts, ", ")
}
