package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/prove/bench"
)

// benchOptions are those of `muster bench`.
type benchOptions struct {
	*app
	bench.Options
	all, markdown bool
	into          string // file whose generated part is made anew; "": none
}

func newBench(a *app, remote bench.Remote, pages bench.Pages) *cobra.Command {
	o := &benchOptions{app: a, Options: bench.Options{Remote: remote, Pages: pages}}
	cmd := &cobra.Command{
		Use:   "bench [NAME...]",
		Short: "measure this machine: commands per second, waits, memory, restart",
		Long: `Bench measures how fast Muster is on this machine, each figure beside what it should be compared with.
It needs no server. muster bench list says which benches there are; without a name all of them run.`,
		Example: "  muster bench list\n  muster bench submit --quick\n  muster bench kai-reclaim -o json\n  muster bench siege --lasts 10m\n  muster bench --all --markdown --into docs/figures/benches.md",
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Quick, "quick", false, "a tenth of the work: a first impression")
	f.StringVar(&o.Dir, "dir", "", "a folder on the disk to measure (the one for temporary files)")
	f.StringVar(&o.Keep, "keep", "", "a folder in which the bench fleet leaves its journal, for muster up --data FOLDER")
	f.StringVar(&o.From, "from", "", "a folder that bench fleet --keep made, for the bench pages to begin with a copy of")
	f.DurationVar(&o.Lasts, "lasts", 0, "how long each part of the bench siege lasts (1m)")
	f.BoolVar(&o.all, "all", false, "all benches (as without a name)")
	f.BoolVar(&o.markdown, "markdown", false, "say it as a part of a document")
	f.StringVar(&o.into, "into", "", "with --markdown: put it into this file, in place of what it said of these benches")
	f.Uint64Var(&o.Seed, "seed", 1, "of everything drawn at random")
	cmd.AddCommand(newBenchList(a), newBenchHostile(a))
	return cmd
}

// newBenchHostile is the hostile caller of the bench siege, which starts it against a server of its own.
func newBenchHostile(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "hostile ADDRESS", Short: "the hostile caller of the bench siege", Hidden: true, Args: needs(1, 1, "ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bench.Hostile(cmd.Context(), args[0], a.In, a.Out)
		},
	}
}

func newBenchList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "which benches there are",
		Example: "  muster bench list", Args: needs(0, 0, ""),
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
	if o.all && len(names) > 0 || o.into != "" && !o.markdown {
		return usage("--all goes without names, and --into with --markdown")
	}
	benches, err := choose(names)
	if err != nil {
		return err
	}
	began := time.Now()
	if o.Program, err = os.Executable(); err != nil {
		return err
	}
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
	if o.markdown {
		return o.document(reports)
	}
	return o.print(o.Out, answer{value: reports, table: benchTable(reports), lead: func(p *page) {
		p.say("%s\n", bench.ThisMachine())
	}, tail: func(p *page) { p.remarks(reports) }})
}

// document says reports as a part of a document, or puts them into one.
func (o *benchOptions) document(reports []bench.Report) error {
	if o.into == "" {
		_, err := io.WriteString(o.Out, bench.Markdown(reports))
		return err
	}
	doc, err := os.ReadFile(o.into)
	if err != nil {
		return err
	}
	text, err := bench.Into(string(doc), reports)
	if err != nil {
		return fmt.Errorf("%s: %w", o.into, err)
	}
	for _, r := range reports {
		if err := writePicture(r, filepath.Join(filepath.Dir(o.into), r.PictureFile())); err != nil {
			return err
		}
	}
	return os.WriteFile(o.into, []byte(text), 0o644)
}

// writePicture writes a report's picture, if it has one, where its document looks for it.
func writePicture(r bench.Report, file string) error {
	if len(r.Curves) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(r.Picture()), 0o644)
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
		column{head: "UNIT"}, column{head: "PEER", spare: true}, column{head: "RATIO", right: true, spare: true}, column{head: "TO", spare: true, wide: true},
		column{head: "CORES", right: true, spare: true}, column{head: "AIM", spare: true}, column{head: "MET", spare: true})
	for _, r := range reports {
		for _, f := range r.Figures {
			t.add(r.Bench, f.Name, quantity(f.Value), f.Unit, peer(f), ratio(f), f.To, cores(f), f.Aim, met(f))
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

// peer is what another project says of the same.
func peer(f bench.Figure) string {
	if f.Peer == nil {
		return ""
	}
	return f.Peer.String()
}

func ratio(f bench.Figure) string {
	if f.To == "" {
		return ""
	}
	if f.Ratio >= 100 {
		return grouped(int64(f.Ratio + 0.5))
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
		if r.Recipe != "" {
			p.say("\n%s: %s.", r.Bench, r.Recipe)
		}
		for _, remark := range r.Remarks {
			p.say("\n%s", remark)
		}
		for _, source := range r.Sources() {
			p.say("\n%s", source)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
