package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// window is the flags of questions about a stretch of the past: --as-of is its end.
type window struct {
	reading
	since moment
}

// usualWindow is how far a window goes back where --since says nothing: the same for every report, so that their
// figures can be compared.
const usualWindow = 30 * 24 * time.Hour

func (w *window) flags(a *app, cmd *cobra.Command) {
	w.reading.flags(a, cmd)
	w.since.env = a.Env
	cmd.Flags().Var(&w.since, "since", "from this moment on: yesterday, monday, 2026-11-01, or a time span before now as in 90d ("+text.Duration(usualWindow)+")")
}

// from is the moment from which on the window is asked for.
func (w *window) from() *timestamppb.Timestamp {
	if since := w.since.message(); since != nil {
		return since
	}
	return timestamppb.New(w.end().Add(-usualWindow))
}

// end is the moment at which the window ends.
func (w *window) end() time.Time {
	if w.asOf.at.IsZero() {
		return w.since.env.Now()
	}
	return w.asOf.at
}

// asked is the window that is asked for, where an answer does not say which part of it is known.
func (w *window) asked() *musterv1.Window {
	return &musterv1.Window{From: w.from(), To: timestamppb.New(w.end())}
}

// usual says that a window is the one without --since; "": it was chosen.
func (w *window) usual() string {
	if !w.since.at.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (within the last %s; --since 90d looks further back)", text.Count(int(usualWindow/(24*time.Hour)), "day"))
}

// check refuses a window that ends before it begins.
func (w *window) check() error {
	if end := w.asOf.at; !w.since.at.IsZero() && !end.IsZero() && !w.since.at.Before(end) {
		return usage("--since %s is not before --as-of %s; a window begins before it ends", w.since.text, w.asOf.text)
	}
	return nil
}

// breakdown is a window of a scope, with a row for each of its parts.
type breakdown struct {
	window
	scope, by string
}

// levels are the parts of a fleet, the largest first.
var levels = []string{"fleet", "cluster", "partition", "island"}

// flags gives the flags; usual is the level without --by, more what a row is for besides.
func (b *breakdown) flags(a *app, cmd *cobra.Command, usual, more string) {
	b.window.flags(a, cmd)
	cmd.Flags().StringVar(&b.by, "by", usual, "a row for each "+strings.Join(levels, ", ")+more)
}

// settle takes the scope of the command line, and refuses what makes no sense.
func (b *breakdown) settle(args []string) error {
	b.scope = first(args)
	if !slices.Contains(levels, b.by) {
		return usage("--by %.40q; write one of %s", b.by, strings.Join(levels, ", "))
	}
	return b.window.check()
}

// covered says from when to when an answer goes, and what was asked for.
func (p *page) covered(w *musterv1.Window, asked *window) {
	if w == nil {
		return
	}
	p.say("%s", p.paint.paint(faint, fmt.Sprintf("%s to %s%s", p.moment(w.GetFrom().AsTime()), p.moment(w.GetTo().AsTime()), asked.usual())))
	p.gaps(w)
}

// covering is the time that a row of an answer covers.
type covering struct {
	name   string
	window *musterv1.Window
}

// coveredBy says from when to when all rows of an answer go together, and which begin later: what joined late
// must not shorten the period of the others.
func (p *page) coveredBy(rows []covering, asked *window) {
	whole := wholeOf(rows)
	p.covered(whole, asked)
	var late []string
	for _, r := range rows {
		if from := r.window.GetFrom(); from != nil && from.AsTime().After(whole.GetFrom().AsTime()) {
			late = append(late, r.name+" only since "+p.moment(from.AsTime()))
		}
	}
	if len(late) > 0 {
		p.wrapAs("", text.Few(late, mostLate))
	}
}

// mostLate is how many rows are named that begin late, before it is said how many more there are.
const mostLate = 5

// wholeOf is the time that some rows cover together, with the gaps of the row that goes back furthest; nil: no row.
func wholeOf(rows []covering) *musterv1.Window {
	var whole *musterv1.Window
	for _, r := range rows {
		switch w := r.window; {
		case w.GetFrom() == nil: // nothing is recorded of it
		case whole == nil:
			whole = &musterv1.Window{From: w.GetFrom(), To: w.GetTo(), Gaps: w.GetGaps()}
		default:
			widen(whole, w)
		}
	}
	return whole
}

func widen(whole, w *musterv1.Window) {
	if w.GetFrom().AsTime().Before(whole.GetFrom().AsTime()) {
		whole.From, whole.Gaps = w.GetFrom(), w.GetGaps()
	}
	if w.GetTo().AsTime().After(whole.GetTo().AsTime()) {
		whole.To = w.GetTo()
	}
}

// gaps says when no server ran: that time is not counted.
func (p *page) gaps(w *musterv1.Window) {
	const most = 3
	list := w.GetGaps()
	for _, g := range list[max(0, len(list)-most):] {
		from, to := g.GetFrom().AsTime(), g.GetTo().AsTime()
		p.say("%s", p.paint.paint(waiting, fmt.Sprintf("no server ran from %s to %s (%s): not counted", p.moment(from), p.moment(to), short(to.Sub(from)))))
	}
	if n := len(list) - most; n > 0 {
		p.say("%s", p.paint.paint(waiting, fmt.Sprintf("nor at %d other times before", n)))
	}
}

func spanOf(d *durationpb.Duration) time.Duration { return d.AsDuration().Round(time.Second) }

// percent says a share with as many digits as a target needs.
func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// gpuHours says GPU-hours in whole ones; what is less than one shows.
func gpuHours(x float64) string {
	switch {
	case x == 0:
		return nothing
	case x < 10:
		return fmt.Sprintf("%.1f", x)
	}
	return grouped(int64(x + 0.5))
}

// cells are the eight heights of a sparkline.
const cells = "▁▂▃▄▅▆▇█"

// sparkline draws values, each to the scale of the highest; "·" is nothing.
func sparkline(values []float64) string {
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	heights := []rune(cells)
	var b strings.Builder
	for _, v := range values {
		if v <= 0 {
			b.WriteRune('·')
			continue
		}
		b.WriteRune(heights[min(len(heights)-1, int(v/most*float64(len(heights)-1)+0.5))])
	}
	return b.String()
}

// figure is a number for people in words of its own, and for programs as it is.
type figure struct {
	value float64
	text  string
}

func (f figure) String() string { return f.text }
