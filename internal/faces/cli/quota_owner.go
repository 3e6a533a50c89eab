package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// quotaOwnerOptions are those of `muster quota owner`.
type quotaOwnerOptions struct {
	*app
	writing
	none bool
}

func newQuotaOwner(a *app) *cobra.Command {
	o := &quotaOwnerOptions{app: a}
	cmd := &cobra.Command{
		Use:     "owner QUOTA PERSON | TEAM | --none",
		Short:   "name who answers for a quota and for those under it",
		Example: "  muster quota owner research/oak ada --reason 'takes over from ben'",
		Args:    needs(1, 2, "the path of one quota, and a person or team"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.none == (len(args) == 2) {
				return usage("name the person or team that answers for %s, or give --none; muster quota show %[1]s says who it is now", args[0])
			}
			if len(args) == 2 && strings.TrimSpace(args[1]) == "" {
				return usage("%q is no person or team; write a name, or --none", args[1])
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Quotas.SetOwner(ctx, &musterv1.SetOwnerRequest{Write: o.writing.message(), Path: args[0], Owner: second(args)})
				return res.GetWritten(), err
			}, orElse(second(args), "no one")+" answers for "+args[0])
		},
	}
	o.writing.flags(cmd)
	cmd.Flags().BoolVar(&o.none, "none", false, "remove the owner: no one answers for it")
	return cmd
}
