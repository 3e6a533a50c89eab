package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// incidentUpdateOptions are those of `muster incident update`.
type incidentUpdateOptions struct {
	*app
	writing
	scope, severity, owner, link, note string
	nodes                              []string
}

func newIncidentUpdate(a *app) *cobra.Command {
	o := &incidentUpdateOptions{app: a}
	cmd := &cobra.Command{
		Use:     "update NAME",
		Short:   "say what is known of an incident now; what is not named stays",
		Example: "  muster incident update sev-1412 --owner ada --note 'cable ordered'\n  muster incident update sev-1412 --severity sev1 --node tiger-h200-i1-001..004",
		Args:    needs(1, 1, "the name of an incident"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := nodeNames(o.nodes)
			if err != nil {
				return err
			}
			m := &musterv1.UpdateIncidentRequest{
				Write: o.writing.message(), Name: args[0], Note: o.note, Nodes: names, ReplaceNodes: cmd.Flags().Changed("node"),
				Scope: said(cmd, "scope", &o.scope), Severity: said(cmd, "severity", &o.severity),
				Owner: said(cmd, "owner", &o.owner), Link: said(cmd, "link", &o.link),
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Fleet.UpdateIncident(ctx, m)
				return res.GetWritten(), err
			}, "incident "+args[0]+" updated")
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.scope, "scope", "", "cluster, cluster/gpu or cluster/gpu/island")
	f.StringVar(&o.severity, "severity", "", "sev0 (the worst), sev1, sev2, sev3 or sev4")
	f.StringVar(&o.owner, "owner", "", "who works on it")
	f.StringVar(&o.link, "link", "", "where it is written down")
	f.StringVar(&o.note, "note", "", "what has been found out")
	f.StringSliceVar(&o.nodes, "node", nil, "the nodes that it takes away now, or ranges of them; may be repeated")
	return cmd
}

// said is a flag's value where it was given.
func said(cmd *cobra.Command, flag string, value *string) *string {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return value
}
