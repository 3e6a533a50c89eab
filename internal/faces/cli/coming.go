package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	pictures "github.com/muster-fleet/muster/internal/faces/picture"
)

// comingOptions are those of `muster coming`.
type comingOptions struct {
	*app
	reading
	scope string
}

func newComing(a *app) *cobra.Command {
	o := &comingOptions{app: a}
	cmd := &cobra.Command{
		Use:   "coming [CLUSTER | CLUSTER/GPU]",
		Short: "what is known to be ahead: nodes that come back, holds and work that end, haircuts, incidents",
		Long: `Coming lists what is known to change, the soonest first; what has no known moment stands last.

  probation    nodes are healthy again once it is over
  dwell        nodes that are back have been up long enough: promisable may rise
  hold         a hold ends
  grant        part of a grant ends
  work         a job reaches the end that it declared (the largest of the next 24 h)
  maintenance  nodes are under it, and come back
  incident     it is open
  wave         of a haircut that is reviewed and not in force
  delivery     GPUs are assigned that are not installed
  arrival      a cluster that is built is to be in production, in nine of ten cases, by then`,
		Example: "  muster coming\n  muster coming tiger/h200 -o json",
		Args:    needs(0, 1, "at most one cluster or partition"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *comingOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Coming.Coming(ctx, &musterv1.ComingRequest{AsOf: o.asOf.message(), Scope: o.scope})
	if err != nil {
		return answer{}, err
	}
	t := newTable("Nothing is known to be ahead.",
		column{head: "WHEN"}, column{head: "KIND"}, column{head: "PARTITION", name: true}, column{head: "GPUS", right: true}, column{head: "WHAT", folds: true})
	for _, one := range res.GetAhead() {
		t.add(one.GetAt(), one.GetKind(), one.GetPartition(), one.GetGpus(), one.GetText())
	}
	ans := answer{message: res, table: t}
	if o.output == "svg" {
		ans.picture = pictures.DrawAheads(res.GetAhead(), res.GetSeen().GetAt().AsTime(), nil, draw.Wide)
	}
	return ans, nil
}
