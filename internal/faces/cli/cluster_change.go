package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// changeClusterOptions are those of `muster cluster change`.
type changeClusterOptions struct {
	*app
	writing
	recordFlags
	cluster string
}

func newClusterChange(a *app) *cobra.Command {
	o := &changeClusterOptions{app: a}
	cmd := &cobra.Command{
		Use: "change CLUSTER", Short: "change the record of a cluster: variables, islands, owner, priority, date",
		Long: `Change takes over what is said and leaves the rest of the record as it is. Steps that waited for a
change are tried again. What is there is never given up: fewer nodes, or another SKU, are refused once
cores are reserved or scale sets stand.`,
		Example: "  muster cluster change lynx --variable zone=2\n  muster cluster change lynx --island a:24 --dry-run",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.cluster = args[0]; !o.say() {
				return usage("nothing is said that is to change; muster cluster change --help lists what can")
			}
			return o.write(cmd.Context(), o.send, "the record of cluster "+args[0]+" is changed", "muster cluster why "+args[0]+" says what it waits for.")
		},
	}
	o.writing.flags(cmd)
	o.recordFlags.flags(cmd.Flags(), a, ", of an island that is there or a new one", "", ", NAME= takes it away")
	return cmd
}

// send hands over the record as it is, with what is said in its place.
func (o *changeClusterOptions) send(ctx context.Context) (*musterv1.Written, error) {
	is, err := o.client().Buildout.GetCluster(ctx, &musterv1.GetClusterRequest{Cluster: o.cluster})
	if err != nil {
		return nil, err
	}
	r := is.GetCluster().GetRecord()
	o.into(r)
	res, err := o.client().Buildout.ChangeCluster(ctx, &musterv1.ChangeClusterRequest{Write: o.writing.message(), Record: r})
	return res.GetWritten(), err
}
