package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// changeClusterOptions are those of `muster cluster change`.
type changeClusterOptions struct {
	*app
	writing
	cluster              string
	owner, priority, sku string
	islands              map[string]int
	variables            map[string]string
	wanted               moment
}

func newClusterChange(a *app) *cobra.Command {
	o := &changeClusterOptions{app: a}
	o.wanted.env, o.wanted.ahead = a.Env, true
	cmd := &cobra.Command{
		Use: "change CLUSTER", Short: "change the record of a cluster: variables, islands, owner, priority, date",
		Long: `Change takes over what is said and leaves the rest of the record as it is. Steps that waited for a
change are tried again. What stands is never given up: fewer nodes, or another SKU, are refused once
scale sets stand.`,
		Example: "  muster cluster change lynx --variable zone=2\n  muster cluster change lynx --island a=24 --dry-run",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.cluster = args[0]; !o.says() {
				return usage("nothing is said that is to change; muster cluster change --help lists what can")
			}
			return o.write(cmd.Context(), o.send, "the record of cluster "+args[0]+" is changed", "muster cluster why "+args[0]+" says what it waits for.")
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringToStringVar(&o.variables, "variable", nil, "NAME=VALUE for the pipeline, NAME= takes it away; a secret as env:NAME, file:PATH or secret:NAMESPACE/NAME/KEY")
	f.StringToIntVar(&o.islands, "island", nil, "NAME=NODES, of an island that is there or a new one; may be repeated")
	f.StringVar(&o.owner, "owner", "", "the person who answers for it")
	f.StringVar(&o.priority, "priority", "", "critical, high, mid or low")
	f.StringVar(&o.sku, "sku", "", "the machines' SKU")
	f.Var(&o.wanted, "wanted-by", "the day by which it is wanted: 2027-01-31T00:00:00Z")
	return cmd
}

// says is whether anything is to change.
func (o *changeClusterOptions) says() bool {
	return len(o.variables)+len(o.islands) > 0 || o.owner+o.priority+o.sku != "" || !o.wanted.at.IsZero()
}

// send hands over the record as it is, with what is said in its place.
func (o *changeClusterOptions) send(ctx context.Context) (*musterv1.Written, error) {
	is, err := o.client().Buildout.GetCluster(ctx, &musterv1.GetClusterRequest{Cluster: o.cluster})
	if err != nil {
		return nil, err
	}
	r := is.GetCluster().GetRecord()
	o.change(r)
	res, err := o.client().Buildout.ChangeCluster(ctx, &musterv1.ChangeClusterRequest{Write: o.writing.message(), Record: r})
	return res.GetWritten(), err
}

func (o *changeClusterOptions) change(r *musterv1.ClusterRecord) {
	for field, said := range map[*string]string{&r.Owner: o.owner, &r.Priority: o.priority, &r.Sku: o.sku} {
		if said != "" {
			*field = said
		}
	}
	if !o.wanted.at.IsZero() {
		r.WantedBy = timestamppb.New(o.wanted.at)
	}
	for _, name := range slices.Sorted(maps.Keys(o.islands)) {
		nodes := int32(o.islands[name])
		if at := slices.IndexFunc(r.Islands, func(i *musterv1.PlannedIsland) bool { return i.GetName() == name }); at >= 0 {
			r.Islands[at].Nodes = nodes
		} else {
			r.Islands = append(r.Islands, &musterv1.PlannedIsland{Name: name, Nodes: nodes})
		}
	}
	for name, value := range o.variables {
		if r.Variables == nil {
			r.Variables = map[string]string{}
		}
		if r.Variables[name] = value; value == "" {
			delete(r.Variables, name)
		}
	}
}
