package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// nodeReleaseOptions are those of `muster node release`.
type nodeReleaseOptions struct {
	*app
	writing
}

func newNodeRelease(a *app) *cobra.Command {
	o := &nodeReleaseOptions{app: a}
	cmd := &cobra.Command{
		Use:   "release NODE...",
		Short: "give nodes that a person keeps back to automation",
		Long: `Release gives the states of nodes that a person set back to automation; it changes no state. A maintenance
keeps its nodes: what is in maintenance stays there until muster node set NODE --state healthy (or validating) ends it.`,
		Example: "  muster node release tiger-h200-i1-001..004",
		Args:    needs(1, -1, "the names of nodes, or ranges of them as in tiger-h200-i1-001..008"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := nodeNames(args)
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Health.ReleaseNodes(ctx, &musterv1.ReleaseNodesRequest{Write: o.writing.message(), Names: names})
				return res.GetWritten(), err
			}, words.Few(names, 4)+": released; what a person kept there, automation keeps now")
		},
	}
	o.writing.flags(cmd)
	return cmd
}
