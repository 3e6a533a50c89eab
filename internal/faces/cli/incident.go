package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func newIncident(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "incident", Aliases: []string{"incidents"}, Short: "incidents (sevs): open, update, close, list"}
	return group(cmd, newIncidentOpen(a), newIncidentUpdate(a), newIncidentClose(a), newIncidentList(a))
}

// incidentOpenOptions are those of `muster incident open`.
type incidentOpenOptions struct {
	*app
	writing
	scope, severity, owner, link string
	nodes                        []string
}

func newIncidentOpen(a *app) *cobra.Command {
	o := &incidentOpenOptions{app: a}
	cmd := &cobra.Command{
		Use:     "open NAME",
		Short:   "open an incident; capacity views name it",
		Example: "  muster incident open sev-1412 --severity sev2 --scope tiger/h200/i1 --reason 'InfiniBand flaps'",
		Args:    needs(1, 1, "the name of an incident"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := nodeNames(o.nodes)
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Fleet.OpenIncident(ctx, &musterv1.OpenIncidentRequest{
					Write: o.writing.message(), Name: args[0], Scope: o.scope, Severity: o.severity, Nodes: names, Owner: o.owner, Link: o.link,
				})
				return res.GetWritten(), err
			}, "incident "+args[0]+" opened")
		},
	}
	o.writing.flags(cmd)
	cmd.Flags().StringVar(&o.scope, "scope", "", "cluster, cluster/gpu or cluster/gpu/island; none: the fleet")
	cmd.Flags().StringVar(&o.severity, "severity", "", "sev0 (the worst), sev1, sev2, sev3 or sev4")
	cmd.Flags().StringVar(&o.owner, "owner", "", "who works on it")
	cmd.Flags().StringVar(&o.link, "link", "", "where it is written down")
	cmd.Flags().StringSliceVar(&o.nodes, "node", nil, "a node that it takes away, or a range of them; may be repeated")
	return cmd
}

// incidentCloseOptions are those of `muster incident close`.
type incidentCloseOptions struct {
	*app
	writing
}

func newIncidentClose(a *app) *cobra.Command {
	o := &incidentCloseOptions{app: a}
	cmd := &cobra.Command{
		Use:     "close NAME",
		Short:   "close an incident",
		Example: "  muster incident close sev-1412",
		Args:    needs(1, 1, "the name of an incident"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Fleet.CloseIncident(ctx, &musterv1.CloseIncidentRequest{Write: o.writing.message(), Name: args[0]})
				return res.GetWritten(), err
			}, "incident "+args[0]+" closed")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// incidentListOptions are those of `muster incident list`.
type incidentListOptions struct {
	*app
	reading
	closed bool
}

func newIncidentList(a *app) *cobra.Command {
	o := &incidentListOptions{app: a}
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list incidents",
		Example: "  muster incident list --closed",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().BoolVar(&o.closed, "closed", false, "closed ones too")
	return cmd
}

func (o *incidentListOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Fleet.ListIncidents(ctx, &musterv1.ListIncidentsRequest{AsOf: o.asOf.message(), Closed: o.closed})
	if err != nil {
		return answer{}, err
	}
	t := newTable("There are no open incidents.",
		column{head: "INCIDENT", name: true}, column{head: "SEVERITY", spare: true}, column{head: "SCOPE", cut: true},
		column{head: "OPENED"}, column{head: "CLOSED", spare: true}, column{head: "OWNER", spare: true, name: true},
		column{head: "GPUS", right: true}, column{head: "NODES", cut: true, spare: true},
		column{head: "NOTE", folds: true, spare: true}, column{head: "LINK", wide: true})
	for _, i := range res.GetIncidents() {
		t.add(i.GetName(), i.GetSeverity(), orElse(i.GetScope(), "fleet"), i.GetOpened(), i.GetClosed(), i.GetOwner(), i.GetGpus(), i.GetNodes(), lastNote(i), i.GetLink())
	}
	ans := answer{message: res, table: t}
	if len(res.GetIncidents()) == 0 {
		ans.unmet = "there is no incident"
	}
	return ans, nil
}

// lastNote is what was found out last.
func lastNote(i *musterv1.Incident) string {
	if k := len(i.GetUpdates()); k > 0 {
		return i.GetUpdates()[k-1].GetNote()
	}
	return ""
}
