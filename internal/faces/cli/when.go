package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// whenOptions are those of `muster when`.
type whenOptions struct {
	*app
	reading
	naming
	namespace, name string
}

func newWhen(a *app) *cobra.Command {
	o := &whenOptions{app: a}
	cmd := &cobra.Command{
		Use:   "when JOB",
		Short: "when a waiting workload should start, and what that rests on",
		Long: `When forecasts the start of a workload that waits, from declared run times, repairs and the queue: the
moment by which it starts as likely as not, and the one by which it does nine times out of ten. Where
something of unknown length is in the way it says so: nobody can know then.`,
		Example: "  muster when oak/pretrain-0042",
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
	return cmd
}

func (o *whenOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Workloads.When(ctx, &musterv1.WhenRequest{AsOf: o.asOf.message(), Namespace: o.namespace, Name: o.name, Patient: true})
	if err != nil {
		return answer{}, err
	}
	f := res.GetForecast()
	t := newTable("", column{head: "JOB"}, column{head: "KNOWN"}, column{head: "P50"}, column{head: "P90"}, column{head: "LATEST"})
	t.add(nameOf(res.GetWorkload()), f.GetKnown(), f.GetP50(), f.GetP90(), f.GetLatest())
	ans := answer{message: res, rows: t, lead: func(p *page) {
		p.standing(res.GetWorkload())
		if s := res.GetWorkload().GetState(); s == "pending" || s == "starting" {
			p.forecast(f, res.GetAnswer() == "impossible")
		}
	}}
	if s := res.GetWorkload().GetState(); !f.GetKnown() && (s == "pending" || s == "starting") {
		ans.unmet = "when it starts is not known"
	}
	return ans, nil
}
