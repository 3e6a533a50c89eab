package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// whenOptions are those of `muster when`.
type whenOptions struct {
	*app
	reading
	naming
	searching
	namespace, name string
}

func newWhen(a *app) *cobra.Command {
	o := &whenOptions{app: a}
	cmd := &cobra.Command{
		Use:   "when JOB",
		Short: "when a waiting workload should start, and what that rests on",
		Long: `When forecasts the start of a workload that waits, from declared run times, repairs and the queue. It says
the median (p50) and the 90th percentile (p90) of the start. Where something of unknown length is in the
way, it says that the start is not known, and why. On a busy fleet the search may stop before it has found
the start: it says how far it came, and --search gives it more time.`,
		Example: "  muster when oak/pretrain-0042\n  muster when oak/pretrain-0042 --search 20s   # search for longer",
		Args:    needs(1, 1, "the name of one workload"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.namespace, o.name, err = o.job(a, args[0]); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	o.naming.flags(cmd)
	o.searching.flags(cmd.Flags(), "2s")
	return cmd
}

func (o *whenOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Workloads.When(ctx, &musterv1.WhenRequest{AsOf: o.asOf.message(), Namespace: o.namespace, Name: o.name, Patient: true, Search: o.search.message()})
	if err != nil {
		return answer{}, err
	}
	f := res.GetForecast()
	t := newTable("", column{head: "WORKLOAD"}, column{head: "KNOWN"}, column{head: "P50"}, column{head: "P90"}, column{head: "LATEST"})
	t.add(nameOf(res.GetWorkload()), f.GetKnown(), f.GetP50(), f.GetP90(), f.GetLatest())
	ans := answer{message: res, rows: t, lead: func(p *page) {
		p.standing(res.GetWorkload(), ahead(nil, f)...)
		if words.Waits(res.GetWorkload().GetState()) {
			p.forecast(f, res.GetAnswer() == "impossible")
			if ranOut(f) && res.GetAnswer() != "impossible" {
				p.searchLonger(res.GetLonger(), "muster", "when", nameOf(res.GetWorkload()))
			}
		}
	}}
	if !f.GetKnown() && words.Waits(res.GetWorkload().GetState()) {
		ans.unmet = "when it starts is not known"
	}
	return ans, nil
}

// forecast says when a waiting workload should start.
func (p *page) forecast(f *musterv1.Forecast, impossible bool) {
	if f == nil {
		return
	}
	p.say("")
	if impossible {
		p.say("when      will not start by waiting")
		return
	}
	if !f.GetKnown() {
		p.wrapAs("when      ", "not known: "+p.grounds(f.GetUnknown(), f.GetMore()))
		return
	}
	p.wrapAs("when      ", p.bounds(f))
	if len(f.GetRestsOn()) > 0 {
		p.wrap("rests on: " + p.grounds(f.GetRestsOn(), 0))
	}
}

// bounds says the moments of a forecast that is known.
func (p *page) bounds(f *musterv1.Forecast) string {
	p50, p90 := f.GetP50().AsTime(), f.GetP90().AsTime()
	text := fmt.Sprintf("p90 %s (%s)", p.moment(p90), p.until(p90))
	if !p50.Equal(p90) {
		text = fmt.Sprintf("p50 %s (%s), p90 %s (%s)", p.moment(p50), p.until(p50), p.moment(p90), p.until(p90))
	}
	if late := f.GetLatest(); late != nil && late.AsTime().After(p90) {
		text += "; latest " + p.moment(late.AsTime()) + " if all work takes as long as it declared and no more is submitted"
	}
	return text
}

// shownGrounds is how many grounds of a forecast are said.
const shownGrounds = 3

func (p *page) grounds(list []*musterv1.Ground, more int32) string {
	var parts []string
	for _, g := range list[:min(len(list), shownGrounds)] {
		text := g.GetText()
		if g.GetAt() != nil {
			text += " (" + p.moment(g.GetAt().AsTime()) + ")"
		}
		parts = append(parts, text)
	}
	if left := len(list) - len(parts) + int(more); left > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(parts, "; ")
}
