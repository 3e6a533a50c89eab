package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// clusterLogOptions are those of `muster cluster log`.
type clusterLogOptions struct {
	*app
	cluster, operation string
}

func newClusterLog(a *app) *cobra.Command {
	o := &clusterLogOptions{app: a}
	cmd := &cobra.Command{
		Use: "log CLUSTER", Short: "the end of what the pipeline of a cluster wrote, without secrets",
		Long: `Log shows the last 64 KiB of what the projects of a cluster wrote while they were applied, or taken
down. Known secrets are masked. A pipeline that runs elsewhere has its log there: its link is shown.`,
		Example: "  muster cluster log lynx",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cluster = args[0]
			return o.show(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&o.operation, "operation", "", "an earlier try, CLUSTER.pipeline.gGENERATION.TRY")
	return cmd
}

func (o *clusterLogOptions) show(ctx context.Context) error {
	ctx, end := context.WithTimeout(ctx, time.Minute)
	defer end()
	res, err := o.client().Buildout.GetClusterLog(ctx, &musterv1.GetClusterLogRequest{Cluster: o.cluster, Operation: o.operation})
	if err != nil {
		return err
	}
	ans := answer{message: res, lead: func(p *page) { _, _ = fmt.Fprint(p, res.GetText()) }}
	if res.GetText() == "" {
		ans.lead = func(p *page) { p.wrapAs("", res.GetMissing()) }
		ans.unmet = "there is no log to show"
	}
	return o.print(o.Out, ans)
}
