package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// versionOptions are those of `muster cluster version`.
type versionOptions struct {
	*app
	writing
	cluster string
	version int32
}

func newClusterVersion(a *app) *cobra.Command {
	o := &versionOptions{app: a}
	cmd := &cobra.Command{
		Use: "version CLUSTER VERSION", Short: "give a cluster another version of its blueprint, by which it is built from then on",
		Example: "  muster cluster version lynx 2",
		Args:    needs(2, 2, "the name of a cluster and the number of a version: muster blueprint list"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.ParseInt(args[1], 10, 32)
			if err != nil || n < 1 {
				return usage("version %q is no number of a version; muster blueprint list shows them", args[1])
			}
			o.cluster, o.version = args[0], int32(n)
			return o.write(cmd.Context(), o.send, "cluster "+args[0]+" is built by version "+args[1]+" of its blueprint", "muster cluster why "+args[0]+" says what it waits for.")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// send hands the record over as it is, with another version.
func (o *versionOptions) send(ctx context.Context) (*musterv1.Written, error) {
	is, err := o.client().Buildout.GetCluster(ctx, &musterv1.GetClusterRequest{Cluster: o.cluster})
	if err != nil {
		return nil, err
	}
	res, err := o.client().Buildout.ChangeCluster(ctx, &musterv1.ChangeClusterRequest{Write: o.writing.message(), Record: is.GetCluster().GetRecord(), BlueprintVersion: o.version})
	return res.GetWritten(), err
}
