package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/bench"
)

// benchOptions are those of `muster bench`.
type benchOptions struct {
	*app
	bench.Options
}

func newBench(a *app) *cobra.Command {
	o := &benchOptions{app: a}
	cmd := &cobra.Command{
		Use:   "bench [NAME...]",
		Short: "measure this machine: commands per second, waits, memory, restart",
		Long: `Bench measures how fast Muster is on this machine, each figure beside what it should be compared with.
It needs no server. muster bench list says which benches there are; without a name all of them run.`,
		Example: "  muster bench list\n  muster bench submit --quick\n  muster bench submit -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Quick, "quick", false, "a tenth of the work: a first impression")
	f.StringVar(&o.Dir, "dir", "", "a folder on the disk to measure (the one for temporary files)")
	f.Uint64Var(&o.Seed, "seed", 1, "of everything drawn at random")
	cmd.AddCommand(newBenchList(a))
	return cmd
}

func newBenchList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "which benches there are", Args: needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			t := newTable("There are none.", column{head: "BENCH"}, column{head: "MEASURES", cut: true})
			var value []object
			for _, b := range bench.All() {
				t.add(b.Name, b.Short)
				value = append(value, object{{"name", b.Name}, {"measures", b.Short}})
			}
			return a.print(a.Out, answer{value: value, table: t})
		},
	}
}

// run runs the benches that are named, or all.
func (o *benchOptions) run(ctx context.Context, names []string) error {
	benches, err := choose(names)
	if err != nil {
		return err
	}
	o.Options.Remote = o.Env.Remote
	began := time.Now()
	o.Options.Progress = func(text string) { o.line("%s … %s", text, short(time.Since(began))) }
	var reports []bench.Report
	for _, b := range benches {
		r, err := b.Run(ctx, o.Options)
		o.wipe()
		if err != nil {
			return fmt.Errorf("bench %s: %w", b.Name, err)
		}
		reports = append(reports, r)
	}
	return o.print(o.Out, answer{value: reports, table: benchTable(reports), lead: func(p *page) {
		p.say("%s\n", bench.ThisMachine())
	}, tail: func(p *page) { p.remarks(reports) }})
}

func choose(names []string) ([]bench.Bench, error) {
	all := bench.All()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []bench.Bench
	for _, name := range names {
		i := slices.IndexFunc(all, func(b bench.Bench) bool { return b.Name == name })
		if i < 0 {
			return nil, usage("there is no bench %.40q; muster bench list shows those there are", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func benchTable(reports []bench.Report) *table {
	t := newTable("Nothing was measured.", column{head: "BENCH", wide: true}, column{head: "FIGURE", cut: true}, column{head: "VALUE", right: true},
		column{head: "UNIT"}, column{head: "RATIO", right: true, spare: true}, column{head: "TO", spare: true},
		column{head: "CORES", right: true, spare: true}, column{head: "AIM", spare: true}, column{head: "MET", spare: true})
	for _, r := range reports {
		for _, f := range r.Figures {
			t.add(r.Bench, f.Name, quantity(f.Value), f.Unit, ratio(f), f.To, cores(f), f.Aim, met(f))
		}
	}
	return t
}

// quantity says a figure with three digits that count.
func quantity(x float64) string {
	switch {
	case x >= 1000:
		return grouped(int64(x + 0.5))
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

func ratio(f bench.Figure) string {
	if f.To == "" {
		return ""
	}
	return strconv.FormatFloat(f.Ratio, 'f', 2, 64)
}

func cores(f bench.Figure) string {
	if f.Cores == 0 {
		return ""
	}
	return strconv.FormatFloat(f.Cores, 'f', 1, 64)
}

func met(f bench.Figure) mark {
	switch {
	case f.Aim == "":
		return mark{}
	case f.Met:
		return mark{"yes", good}
	}
	return mark{"no", bad}
}

func (p *page) remarks(reports []bench.Report) {
	for _, r := range reports {
		for _, remark := range r.Remarks {
			p.say("\n%s", remark)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
