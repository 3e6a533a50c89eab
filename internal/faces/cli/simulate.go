package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/prove/simulate"
)

// simulateOptions are those of `muster simulate`.
type simulateOptions struct {
	*app
	simulate.Options
	from, to moment
	jobs     []string
	declare  string
	buffer   string
}

func newSimulate(a *app) *cobra.Command {
	o := &simulateOptions{app: a, from: moment{env: a.Env}, to: moment{env: a.Env}}
	cmd := &cobra.Command{
		Use:   "simulate --fleet FILE --jobs FILE... | --crowd NODES",
		Short: "replay job traces against a fleet, in virtual time",
		Long: `Simulate replays job traces (CSV, or CSV compressed as .csv.gz) against a fleet file in virtual time,
through the same engine as production, and reports per team and in all: jobs, waits, completion,
GPU-hours, utilisation, evictions, mends and promises broken.

A job's team targets the quota whose path ends in it; teams without one run on flex in their namespace.

With --crowd the fleet and its jobs are made up from the seed: gangs, elastic pools, quotas that lend and
six namespaces on flex, which together ask for --load times what the nodes have. The report counts needless
evictions and idle room (churn, with -o json). With --rack whole racks fail, too: each once in sixty days.

The report says which share of the promises was kept; those over 28 days need a run that is longer.`,
		Example: "  muster simulate --fleet examples/itp.yaml --jobs jobs.csv.gz --seed 7\n  muster simulate --fleet f.yaml --jobs a.csv --jobs b.csv --faults node_faults.csv --from 2017-10-01 -o json\n  muster simulate --crowd 60 --load 1.4 --days 4 --seed 7\n  muster simulate --crowd 60 --load 0.5 --days 60 --rack 8 --buffer calibrated=0.99 --check-every 0",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.settle(args); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Fleet, "fleet", "", "fleet file: the policy, clusters and quotas of a scenario")
	f.StringArrayVar(&o.jobs, "jobs", nil, "job trace; may be repeated, and further files may follow")
	f.IntVar(&o.Crowd.Nodes, "crowd", 0, "instead of files: a made-up crowd on so many nodes")
	f.Float64Var(&o.Crowd.Load, "load", 1.4, "with --crowd: GPU time asked for, of what the nodes have")
	f.IntVar(&o.Crowd.Days, "days", 4, "with --crowd: how long work arrives; the run ends with it")
	f.IntVar(&o.Crowd.Rack, "rack", 0, "with --crowd: nodes of a rack, which fail as one besides; 0: none do")
	f.StringVar(&o.buffer, "buffer", "", "with --crowd: the buffer policy, such as fixed=0.1 or calibrated=0.99")
	f.StringVar(&o.Faults, "faults", "", "fault trace: node_id, start_day, end_day, and rack where it is known")
	f.Var(&o.from, "from", "leave out jobs submitted before; 2017-10-01, or 2017-10-01T00:00:00Z")
	f.Var(&o.to, "to", "leave out jobs submitted after")
	f.StringArrayVar(&o.Teams, "team", nil, "only this team's jobs; may be repeated")
	f.Uint64Var(&o.Seed, "seed", 1, "of the delays, and of which server's faults befall which node")
	f.BoolVar(&o.Delays, "delays", false, "replicas start and stop with realistic delays; otherwise at once")
	f.BoolVar(&o.NoMend, "no-mend", false, "to compare: a gang that loses a node goes back to its queue")
	f.DurationVar(&o.CheckpointEvery, "checkpoint-every", 0, "jobs save their work so often; 0: never")
	f.StringVar(&o.declare, "declare", "", "jobs declare their run time times a factor drawn from it, such as 1..3, as maximum")
	f.DurationVar(&o.ForecastEvery, "forecast-every", 0, "ask so often when all that waits will start, and measure what came of it")
	f.IntVar(&o.CheckEvery, "check-every", 1, "check the invariants after every Nth decision; 0: never")
	return cmd
}

// settle checks what was asked for. Files may follow --jobs one after another.
func (o *simulateOptions) settle(args []string) error {
	o.Jobs = slices.Concat(o.jobs, args)
	o.From, o.To = o.from.at, o.to.at
	if o.CheckEvery == 0 {
		o.CheckEvery = -1
	}
	var err error
	if o.Declare, err = simulate.ParseDeclare(o.declare); err != nil {
		return usage("--declare: %v", err)
	}
	if o.Crowd.Buffer, err = simulate.ParseBuffer(o.buffer); err != nil {
		return usage("--buffer: %v", err)
	}
	if err := o.checkPace(); err != nil {
		return err
	}
	if o.Crowd.Nodes != 0 {
		return o.checkCrowd()
	}
	switch {
	case o.Crowd.Rack > 0 || o.buffer != "":
		return usage("--rack and --buffer go with --crowd; a fleet file says both itself (racks of an island, policy.buffer)")
	case o.Fleet == "":
		return usage("simulate needs a fleet file: --fleet FILE")
	case len(o.Jobs) == 0:
		return usage("simulate needs a job trace: --jobs FILE")
	}
	for _, path := range append([]string{o.Fleet}, o.Jobs...) {
		if err := exists(path); err != nil {
			return err
		}
	}
	// What is wrong in a file is told before anything runs, and is no failure of the run.
	_, err = simulate.Read(o.Options)
	return Malformed(err)
}

// checkPace checks how often something happens.
func (o *simulateOptions) checkPace() error {
	switch {
	case o.ForecastEvery < 0:
		return usage("--forecast-every %s: forecasts lie further apart than nothing", o.ForecastEvery)
	case o.CheckpointEvery < 0:
		return usage("--checkpoint-every %s: checkpoints lie further apart than nothing", o.CheckpointEvery)
	}
	return nil
}

// checkCrowd checks the fleet that is made up.
func (o *simulateOptions) checkCrowd() error {
	c := o.Crowd
	switch {
	case o.Fleet != "" || len(o.Jobs) > 0 || o.Faults != "":
		return usage("--crowd makes up the fleet, the jobs and the faults: it goes without --fleet, --jobs and --faults")
	case c.Nodes < 0 || c.Nodes > 10_000 || c.Load <= 0 || c.Load > 10 || c.Days < 1 || c.Days > 365:
		return usage("--crowd is 1 to 10000 nodes, --load above 0 and at most 10, --days 1 to 365")
	case c.Rack < 0 || c.Rack > 24:
		return usage("--rack is 0 to 24 nodes: an island of a crowd has at most 24")
	}
	return nil
}

func (o *simulateOptions) run(ctx context.Context) error {
	if o.timeout.d > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, o.timeout.d)
		defer end()
	}
	report, err := simulate.Run(ctx, o.Options, o.progress())
	o.wipe()
	if err != nil {
		return err
	}
	ans := answer{value: report, rows: teamRows(report), lead: func(p *page) { _ = report.Table(p) }}
	if err := o.print(o.Out, ans); err != nil {
		return err
	}
	if report.Violations > 0 {
		return fmt.Errorf("%d invariants were violated, the first: %s", report.Violations, report.Violation)
	}
	return nil
}

// progress says on a terminal how far the run has come.
func (o *simulateOptions) progress() func(simulate.Progress) {
	began := time.Now()
	return func(p simulate.Progress) {
		if time.Since(began) < quietFor {
			return
		}
		o.line("%s  %s of %s jobs ended, %s decisions, %s", p.At.UTC().Format("2006-01-02 15:04"),
			grouped(int64(p.Ended)), grouped(int64(p.Jobs)), grouped(int64(p.Decisions)), short(time.Since(began)))
	}
}

func teamRows(r simulate.Report) *table {
	t := newTable("", column{head: "TEAM"}, column{head: "TARGET"}, column{head: "JOBS"}, column{head: "MEAN WAIT S"},
		column{head: "P50 WAIT S"}, column{head: "P99 WAIT S"}, column{head: "MEAN JCT S"}, column{head: "GPU HOURS"},
		column{head: "EVICTIONS"}, column{head: "MENDS"}, column{head: "BROKEN QUOTA HOURS"})
	row := func(name, target string, f simulate.Figures) {
		t.add(name, target, f.Jobs, decimal(f.MeanWait), decimal(f.P50Wait), decimal(f.P99Wait), decimal(f.MeanJCT),
			decimal(f.GPUHours.Hours()), f.Evictions, f.Mends, decimal(f.BrokenQuotaHours))
	}
	for _, name := range sortedKeys(r.Teams) {
		row(name, r.Teams[name].Target, r.Teams[name].Figures)
	}
	row("all", "", r.Figures)
	return t
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
