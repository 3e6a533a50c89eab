package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/prove/backtest"
	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/text"
)

// backtestOptions are those of `muster backtest`.
type backtestOptions struct {
	*app
	faults, journal string
	poolsOf
	horizons, policies []string
	from, to           span
	seed               uint64
	svg, into          string
	plot               bool
}

// poolsOf says which nodes make the pools that are tried.
type poolsOf struct {
	nodes, perNode int
	islands        []int
	left           []string // which nodes make no pool
}

// triedPolicies are how policies that can be in force are written for a trial.
func triedPolicies() string {
	var list []string
	for _, kind := range words.BufferKinds() {
		number := "SHARE"
		if kind.Learns {
			number = "CONFIDENCE"
		}
		list = append(list, kind.Name+"="+number)
	}
	return text.And(list)
}

// usualTrials are all kinds that can be tried, at the number that each usually has.
func usualTrials() (list []string) {
	for _, kind := range backtest.Policies {
		if p, err := backtest.ParsePolicy(kind); err == nil {
			list = append(list, p.String())
		}
	}
	return list
}

func newBacktest(a *app) *cobra.Command {
	o := &backtestOptions{app: a}
	cmd := &cobra.Command{
		Use:   "backtest --faults FILE | --journal FOLDER",
		Short: "try buffer policies against the recorded past",
		Long: `Backtest lets each buffer policy issue a promise every hour of a recorded past, knowing only what was
before, and judges it over its horizon: it is kept if the whole healthy nodes never fall below it.

  buffer    mean of (installed − promised) ÷ installed
  realised  share of the promises that were kept; beside it what the policy claims
  broken    hours (of one pool) in which a promise stood above what was healthy
  to flex   GPU-hours that were healthy and not promised
  changes   hours in which another number was promised than in the hour before

Policies are ` + triedPolicies() + `. Two more are for comparison:
rolling=CONFIDENCE is the plain quantile of healthy counts over 28 days. hindsight=CONFIDENCE is the least
constant number of nodes beside those down that would have kept that share, known only afterwards.`,
		Example: "  muster backtest --faults node_faults.csv --nodes 400\n" +
			"  muster backtest --faults node_faults.csv --nodes 400 --islands 50 --policy calibrated=0.999 --horizon 7d\n" +
			"  muster backtest --journal ~/.muster --svg frontier.svg",
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.faults, "faults", "", "fault trace: node_id, start_day, end_day, and rack where it is known")
	f.StringVar(&o.journal, "journal", "", "journal: a data folder, its file, or the address of its database")
	f.IntVar(&o.nodes, "nodes", 0, "nodes of the fault trace's fleet; 0: those that it names")
	f.IntVar(&o.perNode, "gpus-per-node", 8, "of the fault trace's fleet")
	f.IntSliceVar(&o.islands, "islands", nil, "sizes of the pools to try, in nodes, such as 400,100,50; none: all nodes as one")
	f.StringSliceVar(&o.policies, "policy", usualTrials(), "policies to try")
	f.StringSliceVar(&o.horizons, "horizon", []string{"24h", "7d", "28d"}, "how long a promise is to hold")
	f.Var(&o.from, "from", "leave out what was before, since the beginning of the record: 100d")
	f.Var(&o.to, "to", "leave out what came after")
	f.Uint64Var(&o.seed, "seed", 1, "of which nodes of a fault trace stand together; those of a rack do")
	f.StringVar(&o.svg, "svg", "", "draw the frontier into this file")
	f.StringVar(&o.into, "into", "", "write the table into a Markdown page at its mark: docs/figures/promise.md#fleet")
	f.BoolVar(&o.plot, "plot", true, "draw the frontier in the terminal")
	return cmd
}

func (o *backtestOptions) run(ctx context.Context) error {
	options, err := o.settle(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	options.Progress = func(done, of int) {
		if time.Since(began) > quietFor {
			o.line("%d of %d tried, %s", done, of, short(time.Since(began)))
		}
	}
	rows, err := backtest.Run(ctx, options)
	o.wipe()
	if err != nil {
		return Malformed(err)
	}
	if err := o.draw(rows); err != nil {
		return err
	}
	if o.into != "" {
		return o.writeInto(rows)
	}
	ans := answer{value: rows, table: backtestTable(rows), note: strings.Join(o.left, " ")}
	if o.plot {
		ans.tail = func(p *page) { p.say(""); _ = backtest.Plot(p, rows) }
	}
	return o.print(o.Out, ans)
}

// settle checks what was asked for, and reads the past.
func (o *backtestOptions) settle(ctx context.Context) (backtest.Options, error) {
	options := backtest.Options{From: int(o.from.d / time.Hour), To: int(o.to.d / time.Hour)}
	if o.to.set && o.to.d <= o.from.d {
		return options, usage("--to %s is not after --from %s", o.to.String(), orElse(o.from.String(), "the beginning"))
	}
	for _, text := range o.policies {
		policy, err := backtest.ParsePolicy(text)
		if err != nil {
			return options, usage("--policy: %v", err)
		}
		options.Policies = append(options.Policies, policy)
	}
	for _, text := range o.horizons {
		d, err := yamlfile.ParseDuration(text)
		if err != nil || d < time.Hour || d%time.Hour != 0 {
			return options, usage("--horizon %.40q is no number of full hours; write 24h or 7d, say", text)
		}
		options.Horizons = append(options.Horizons, int(d/time.Hour))
	}
	var err error
	options.Groups, err = o.past(ctx)
	return options, err
}

func (o *backtestOptions) past(ctx context.Context) ([]backtest.Group, error) {
	switch {
	case (o.faults == "") == (o.journal == ""):
		return nil, usage("backtest needs one past: --faults FILE or --journal FOLDER")
	case o.journal != "":
		groups, err := backtest.OpenJournal(ctx, o.journal)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, Malformed(err)
		}
		if err == nil && len(groups) == 0 {
			return nil, usage("%s has no nodes", o.journal)
		}
		return groups, err
	}
	return o.fleet()
}

// mostNodes is how many nodes a fault trace is laid on: ten times the largest
// fleet, and still within the memory of a small machine.
const mostNodes = 100_000

// fleet lays the fault trace on nodes.
func (o *backtestOptions) fleet() ([]backtest.Group, error) {
	if o.nodes < 0 || o.nodes > mostNodes {
		return nil, usage("--nodes %d: a fault trace is laid on 1 to %s nodes, or with 0 on those that it names", o.nodes, grouped(mostNodes))
	}
	faults, err := trace.OpenFaults(o.faults)
	if err != nil {
		return nil, Malformed(err)
	}
	fleet, err := backtest.NewFleet(faults, o.nodes, 0)
	if err != nil {
		return nil, usage("--nodes %d: %v", o.nodes, err)
	}
	sizes := o.islands
	if len(sizes) == 0 {
		sizes = []int{fleet.Nodes}
	}
	var groups []backtest.Group
	for _, size := range sizes {
		if size < 1 || size > fleet.Nodes {
			return nil, usage("--islands %d: a pool has 1 to %d nodes here", size, fleet.Nodes)
		}
		pools := fleet.Pools(size, o.seed)
		for i := range pools {
			pools[i].GPUsPerNode = o.perNode
		}
		name := fmt.Sprintf("%d × %d nodes", len(pools), size)
		if left := fleet.Nodes - len(pools)*size; left > 0 {
			o.left = append(o.left, fmt.Sprintf("%s: %d of the %s nodes make no whole pool of %d and are left out.", name, left, grouped(int64(fleet.Nodes)), size))
		}
		groups = append(groups, backtest.Group{Name: name, Pools: pools})
	}
	return groups, nil
}

func (o *backtestOptions) draw(rows []backtest.Row) (err error) {
	if o.svg == "" {
		return nil
	}
	file, err := os.Create(o.svg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return backtest.SVG(io.Writer(file), rows)
}

func backtestTable(rows []backtest.Row) *table {
	t := newTable("Nothing was tried.",
		column{head: "POOLS", cut: true}, column{head: "HORIZON"}, column{head: "POLICY"},
		column{head: "BUFFER", right: true}, column{head: "REALISED", right: true}, column{head: "CLAIMED", right: true},
		column{head: "BROKEN H", right: true}, column{head: "GPU-H SHORT", right: true, wide: true},
		column{head: "TO FLEX", right: true}, column{head: "CHANGES", right: true}, column{head: "PROMISES", right: true, wide: true})
	for _, r := range rows {
		claimed := mark{"", uncoloured}
		if r.Wanted > 0 {
			claimed = mark{percent(r.Wanted), good}
			if r.Realised < r.Wanted {
				claimed.style = bad
			}
		}
		t.add(r.Group, backtest.Hours(r.Horizon), r.Policy, percent(r.Buffer), percent(r.Realised), claimed,
			many(r.Broken), many(r.Short), many(r.Flex), many(r.Changes), many(r.Promises))
	}
	return t
}

// many is a count that people read with its digits in threes.
func many[N int | int32 | int64 | float64](n N) figure { return figure{float64(n), grouped(int64(n))} }
