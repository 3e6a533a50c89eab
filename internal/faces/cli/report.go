package cli

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/reason"
)

func newReport(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "report", Aliases: []string{"reports"}, Short: "reports on the past: waiting, health, quotas"}
	return group(cmd, newReportWaiting(a), newReportHealth(a), newReportQuotas(a))
}

// waitingOptions are those of `muster report waiting`.
type waitingOptions struct {
	*app
	window
	quota, cluster string
}

func newReportWaiting(a *app) *cobra.Command {
	o := &waitingOptions{app: a}
	cmd := &cobra.Command{
		Use:   "waiting [QUOTA | flex]",
		Short: "GPU-hours that work waited, by week, quota and reason, and what would have recovered them",
		Long: `Waiting counts the GPUs that each waiting workload needs to start, times how long it waited, under its reason.
The parts say what would have let it run: unbacked (the grant would do, the metal behind it was not
there), quota (more of it, or less use by others), shape (enough GPUs, not in one piece;
what is GangTooLarge is drawn by itself: no time makes such a piece, another shape or grant does), fault
(something was broken) and moment (its room was being made). Reasons are asked for when a workload begins to wait and
in every full hour.`,
		Example: "  muster report waiting --since 90d\n  muster report waiting research --cluster tiger -o csv",
		Args:    needs(0, 1, "at most one quota, or flex"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.quota = first(args)
			if err := o.window.check(); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.window.flags(a, cmd)
	cmd.Flags().StringVar(&o.cluster, "cluster", "", "only reasons that are about this cluster")
	return cmd
}

func (o *waitingOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Past.Waiting(ctx, &musterv1.WaitingRequest{AsOf: o.asOf.message(), Since: o.window.from(), Quota: o.quota, Cluster: o.cluster})
	if err != nil {
		return answer{}, err
	}
	t := newTable("Nothing has waited in this time.",
		column{head: "WEEK"}, column{head: "CLUSTER", name: true}, column{head: "QUOTA", name: true},
		column{head: "REASON"}, column{head: "PART"}, column{head: "GPU HOURS", right: true})
	for _, r := range res.GetRows() {
		t.add(r.GetWeek().AsTime().Format(time.DateOnly), r.GetCluster(), r.GetQuota(), r.GetReason(), r.GetPart(), figure{r.GetGpuHours(), gpuHours(r.GetGpuHours())})
	}
	return answer{message: res, table: t, lead: func(p *page) { p.covered(o.window.asked(), &o.window); p.parts(res.GetRows()) }}, nil
}

// partWords say the parts of waiting, in the order in which they are shown.
var partWords = []struct {
	name reason.Part
	says string
}{
	{reason.Unbacked, "recovered by backing what is granted"},
	{reason.Quota, "by more quota, or less use by others"},
	{reason.Shape, "by room in one piece"},
	{tooLarge, "by a smaller gang or a larger grant, not by waiting"},
	{reason.Broken, "by mending what is broken"},
	{reason.Moment, "room being made for it"},
}

// tooLarge is what of shape no time recovers, by itself.
const tooLarge = "too large"

func shownPart(r *musterv1.WaitedFor) reason.Part {
	if r.GetReason() == string(reason.GangTooLarge) {
		return tooLarge
	}
	return reason.Part(r.GetPart())
}

// parts draws what a better allocation would recover, and how each part went week by week.
func (p *page) parts(rows []*musterv1.WaitedFor) {
	if len(rows) == 0 {
		return
	}
	weeks := map[reason.Part][]float64{}
	first, last := rows[0].GetWeek().AsTime(), rows[len(rows)-1].GetWeek().AsTime()
	n := int(last.Sub(first).Hours()/24/7) + 1
	all := 0.0
	for _, r := range rows {
		part := shownPart(r)
		if weeks[part] == nil {
			weeks[part] = make([]float64, n)
		}
		weeks[part][int(r.GetWeek().AsTime().Sub(first).Hours()/24/7)] += r.GetGpuHours()
		all += r.GetGpuHours()
	}
	p.say("%s GPU-hours waited", p.paint.paint(strong, gpuHours(all)))
	for _, part := range partWords {
		sum := 0.0
		for _, v := range weeks[part.name] {
			sum += v
		}
		if sum > 0 {
			line := sparkline(weeks[part.name][max(0, n-26):])
			p.say("  %-9s %s %10s  %s  %s", part.name, bar(int32(1000*sum/all), 1000, 20), gpuHours(sum), line, p.paint.paint(faint, part.says))
		}
	}
	p.say("")
}

// standingOptions are those of `muster report health`.
type standingOptions struct {
	*app
	breakdown
}

func newReportHealth(a *app) *cobra.Command {
	o := &standingOptions{app: a}
	cmd := &cobra.Command{
		Use:     "health [CLUSTER | CLUSTER/GPU | CLUSTER/GPU/ISLAND]",
		Short:   "availability, failures, interruptions, GPU-hours lost, promises kept and broken",
		Example: "  muster report health\n  muster report health tiger/h200 --by island --since 7d",
		Args:    needs(0, 1, "at most one cluster, partition or island"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.settle(args); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.breakdown.flags(a, cmd, "partition", "")
	return cmd
}

func (o *standingOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Past.Standing(ctx, &musterv1.StandingRequest{AsOf: o.asOf.message(), Since: o.window.from(), Scope: o.scope, By: o.by})
	if err != nil {
		return answer{}, err
	}
	t := newTable("There are no nodes yet; muster apply -f FILE adds them.",
		column{head: "SCOPE", name: true}, column{head: "AVAILABILITY", right: true}, column{head: "FAILURES", right: true},
		column{head: "PER 1000 NODE DAYS", right: true}, column{head: "INTERRUPTIONS", right: true},
		column{head: "DOWN", right: true}, column{head: "UNDONE", right: true, wide: true},
		column{head: "PROMISES", right: true}, column{head: "BROKEN", right: true}, column{head: "STATES", cut: true, wide: true})
	var rows []covering
	for _, h := range res.GetScopes() {
		rows = append(rows, covering{h.GetScope(), h.GetCovered()})
		t.add(h.GetScope(), figure{h.GetAvailability(), percent(h.GetAvailability())}, h.GetFailures(),
			figure{h.GetFailuresPer_1000NodeDays(), fmt.Sprintf("%.2f", h.GetFailuresPer_1000NodeDays())}, h.GetInterruptions(),
			figure{h.GetDownGpuHours(), gpuHours(h.GetDownGpuHours())}, figure{h.GetUndoneGpuHours(), gpuHours(h.GetUndoneGpuHours())},
			h.GetPromisesIssued(), h.GetPromisesBroken(), statesText(h.GetNodeHours()))
	}
	return answer{message: res, table: t, lead: func(p *page) { p.coveredBy(rows, &o.window) }, tail: func(p *page) {
		p.wrapAs("", map[bool]string{false: "Down is in GPU-hours; -o wide adds those that were undone, and the states.", true: "Down and undone are in GPU-hours."}[p.wide]+" Each hour a promise for a day is made for a whole partition; it is kept if as many nodes were whole. muster promise has those since the first one, for 28 days and by island; the page Promise has both.")
	}}, nil
}

// statesText says the share of node-time in each state, the largest first.
func statesText(hours map[string]float64) string {
	all := 0.0
	var states []string
	for s, h := range hours {
		all += h
		states = append(states, s)
	}
	sort.Strings(states)
	slices.SortStableFunc(states, func(a, b string) int {
		switch {
		case hours[a] > hours[b]:
			return -1
		case hours[a] < hours[b]:
			return 1
		}
		return 0
	})
	var parts []string
	for _, s := range states {
		parts = append(parts, fmt.Sprintf("%s %s", s, percent(hours[s]/all)))
	}
	return strings.Join(parts, ", ")
}

// quotasOptions are those of `muster report quotas`.
type quotasOptions struct {
	*app
	window
	quota, scope string
}

func newReportQuotas(a *app) *cobra.Command {
	o := &quotasOptions{app: a}
	cmd := &cobra.Command{
		Use:     "quotas [QUOTA]",
		Short:   "what quotas had and used, and the highest use of each",
		Example: "  muster report quotas research --since 90d\n  muster report quotas --partition tiger/h200 -o csv",
		Args:    needs(0, 1, "at most one quota"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.quota = first(args)
			if err := o.window.check(); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.window.flags(a, cmd)
	cmd.Flags().StringVar(&o.scope, "partition", "", "only this partition, or cluster")
	cmd.Flags().StringVar(&o.scope, "cluster", "", "only this cluster")
	cmd.MarkFlagsMutuallyExclusive("partition", "cluster")
	return cmd
}

func (o *quotasOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Past.QuotaUse(ctx, &musterv1.QuotaUseRequest{AsOf: o.asOf.message(), Since: o.window.from(), Quota: o.quota, Scope: o.scope})
	if err != nil {
		return answer{}, err
	}
	t := newTable("No quota had anything in this time.",
		column{head: "QUOTA", name: true}, column{head: "PARTITION", name: true},
		column{head: "ASSIGNED", right: true}, column{head: "BACKED", right: true}, column{head: "UNBACKED", right: true},
		column{head: "USED", right: true}, column{head: "USED OF BACKED"}, column{head: "HIGHEST USE", right: true})
	var rows []covering
	for _, q := range res.GetQuotas() {
		rows = append(rows, covering{q.GetQuota() + " in " + q.GetPartition(), q.GetCovered()})
		used := 0.0
		if q.GetBackedGpuHours() > 0 {
			used = q.GetUsedGpuHours() / q.GetBackedGpuHours()
		}
		t.add(q.GetQuota(), q.GetPartition(), figure{q.GetAssignedGpuHours(), gpuHours(q.GetAssignedGpuHours())},
			figure{q.GetBackedGpuHours(), gpuHours(q.GetBackedGpuHours())}, figure{q.GetUnbackedGpuHours(), gpuHours(q.GetUnbackedGpuHours())},
			figure{q.GetUsedGpuHours(), gpuHours(q.GetUsedGpuHours())},
			figure{used, fmt.Sprintf("%s %4.0f %%", bar(int32(100*min(1, used)), 100, 10), 100*used)}, q.GetHighestUse())
	}
	return answer{message: res, table: t, lead: func(p *page) { p.coveredBy(rows, &o.window) }, tail: func(p *page) { p.say("All but the highest use, which is in GPUs, are GPU-hours.") }}, nil
}
