package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// eventsOptions are those of `muster events`.
type eventsOptions struct {
	*app
	reading
	from  uint64
	kinds []string
	limit int32
	names names
	since moment
	who   string
	about string
}

// most is how many records one answer can have.
const most = 10000

func newEvents(a *app) *cobra.Command {
	o := &eventsOptions{app: a}
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "what happened, record by record; --watch follows it",
		Example: "  muster events --watch\n  muster events --kind workload.submitted,grant --limit 20\n  muster events --from 1200 -o json\n  muster events --who ada --since 7d --about research/oak",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !o.since.at.IsZero() && !cmd.Flags().Changed("limit") {
				o.limit = most
			}
			if o.limit < 1 || o.limit > most {
				return usage("--limit %d; write a whole number from 1 to %d", o.limit, most)
			}
			if o.reading.watch && (!o.since.at.IsZero() || o.who != "" || o.about != "") {
				return usage("--watch shows all that happens; --since, --who and --about choose among what was")
			}
			if o.reading.watch {
				return o.follow(cmd.Context())
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	f := cmd.Flags()
	f.Uint64Var(&o.from, "from", 0, "from this version on; 0: the last ones, or with --watch from now on")
	f.StringSliceVar(&o.kinds, "kind", nil, "only events whose kind begins so: workload, quota.created, grant")
	o.since.env = a.Env
	f.Var(&o.since, "since", "only from this moment on: 2026-11-01, or 7d")
	f.StringVar(&o.who, "who", "", "only by actors whose name contains this: ada, operator")
	f.StringVar(&o.about, "about", "", "only events about this, as the ABOUT column says it, or that name it: a node, partition, quota, oak/pretrain-1")
	f.Int32Var(&o.limit, "limit", 50, "at most so many records, each with a line for each event; with --since 10000")
	return cmd
}

func (o *eventsOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{
		AsOf: o.asOf.message(), From: o.from, Kinds: o.kinds, Limit: o.limit,
		Since: o.since.message(), Who: o.who, About: o.about,
	})
	if err != nil {
		return answer{}, err
	}
	o.names.learn(ctx, o.app, res.GetRecords())
	t := o.table()
	for _, r := range res.GetRecords() {
		o.rows(t, r)
	}
	return answer{message: res, table: t, note: unseen(res, len(t.rows))}, nil
}

// unseen says that there is more than an answer has, and how to get it. A record has a line for each
// of its events, so who counts lines is told both.
func unseen(res *musterv1.ListEventsResponse, lines int) string {
	n := len(res.GetRecords())
	these := counted(int64(n), "record", "records")
	if lines != n {
		these += " (" + counted(int64(lines), "line", "lines") + ", one for each event)"
	}
	switch {
	case res.GetNext() != 0:
		return fmt.Sprintf("There are more than these %s; the same with --from %d goes on.", these, res.GetNext())
	case res.GetEarlier() && n == 0:
		return "None of the last records is what was asked for; --since 2h has all of a time, --limit and --from others."
	case res.GetEarlier() && n == 1:
		return "This is the last " + strings.TrimPrefix(these, "1 ") + "; --since 2h has all of a time, --limit and --from others."
	case res.GetEarlier():
		return fmt.Sprintf("These are the last %s; --since 2h has all of a time, --limit and --from others.", these)
	}
	return ""
}

func (o *eventsOptions) table() *table {
	return newTable("Nothing has happened there.",
		column{head: "VERSION", right: true}, column{head: "WHEN"}, column{head: "BY", name: true}, column{head: "WHAT"},
		column{head: "ABOUT", name: true}, column{head: "DETAILS", folds: true}, column{head: "REASON", cut: true, wide: true})
}

func (o *eventsOptions) rows(t *table, r *musterv1.Record) {
	for _, e := range r.GetEvents() {
		about, rest := o.names.event(e)
		t.add(r.GetSeq(), r.GetAt(), r.GetActor(), e.GetKind(), about, rest, r.GetReason())
	}
}

// follow shows records as they come, one under the other.
func (o *eventsOptions) follow(ctx context.Context) error {
	if !o.asOf.at.IsZero() {
		return usage("--watch shows what happens now, --as-of what was; give one of them")
	}
	ctx, end := o.patience(ctx)
	defer end()
	s := &scroll{eventsOptions: o, w: o.Out}
	err := o.client().Watch(ctx, o.from, o.kinds, func(r *musterv1.Record) error {
		o.names.learn(ctx, o.app, []*musterv1.Record{r})
		return s.show(r)
	})
	return ended(ctx, err)
}

// scroll writes records line by line: what is widest is not known in advance.
type scroll struct {
	*eventsOptions
	w     io.Writer
	begun bool
}

func (s *scroll) show(r *musterv1.Record) error {
	switch s.output {
	case "json":
		return json.NewEncoder(s.w).Encode(plain(r))
	case "yaml":
		_, _ = fmt.Fprintln(s.w, "---")
		return write(s.w, asYAML, plain(r))
	case "csv":
		t := s.table()
		s.rows(t, r)
		return t.csvRows(s.w, !s.first())
	}
	p := s.page(s.w)
	for _, e := range r.GetEvents() {
		about, rest := s.names.event(e)
		line := fmt.Sprintf("%s  %-14s %-20s %s", p.moment(r.GetAt().AsTime()), text.Clip(r.GetActor(), 14), e.GetKind(), strings.TrimSpace(about+"  "+rest))
		if !p.wide {
			line = text.Clip(line, widest)
		}
		p.say("%s", line)
	}
	return nil
}

func (s *scroll) first() bool {
	first := !s.begun
	s.begun = true
	return first
}
