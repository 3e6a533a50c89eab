package cli

import (
	"maps"
	"slices"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// recordFlags are what `muster cluster plan` and `muster cluster change` say of a record alike.
type recordFlags struct {
	owner, priority, sku string
	islands              islandSizes
	variables            map[string]string
	wanted               moment
}

func (o *recordFlags) flags(f *pflag.FlagSet, a *app, island, priority, variable string) {
	o.wanted.env, o.wanted.ahead = a.Env, true
	f.Var(&o.islands, "island", "an island and its nodes, as in a:16"+island+"; may be repeated")
	f.StringVar(&o.sku, "sku", "", "the machines' SKU")
	f.StringVar(&o.owner, "owner", "", "the person who answers for it")
	f.StringVar(&o.priority, "priority", "", "critical, high, mid or low"+priority)
	f.Var(&o.wanted, "wanted-by", "the day by which it is wanted: 2027-01-31T00:00:00Z")
	f.StringToStringVar(&o.variables, "variable", nil, "NAME=VALUE for the pipeline"+variable+"; a secret as env:NAME, file:PATH or secret:NAMESPACE/NAME/KEY")
}

// say is whether anything is said.
func (o *recordFlags) say() bool {
	return len(o.variables)+len(o.islands) > 0 || o.owner+o.priority+o.sku != "" || !o.wanted.at.IsZero()
}

// into puts what is said into a record, and leaves the rest of it as it is.
func (o *recordFlags) into(r *musterv1.ClusterRecord) {
	for field, said := range map[*string]string{&r.Owner: o.owner, &r.Priority: o.priority, &r.Sku: o.sku} {
		if said != "" {
			*field = said
		}
	}
	if !o.wanted.at.IsZero() {
		r.WantedBy = timestamppb.New(o.wanted.at)
	}
	for name, value := range o.variables {
		if r.Variables == nil {
			r.Variables = map[string]string{}
		}
		if r.Variables[name] = value; value == "" {
			delete(r.Variables, name)
		}
	}
	o.islandsInto(r)
}

func (o *recordFlags) islandsInto(r *musterv1.ClusterRecord) {
	for _, name := range slices.Sorted(maps.Keys(o.islands)) {
		if at := slices.IndexFunc(r.Islands, func(i *musterv1.PlannedIsland) bool { return i.GetName() == name }); at >= 0 {
			r.Islands[at].Nodes = o.islands[name]
		} else {
			r.Islands = append(r.Islands, &musterv1.PlannedIsland{Name: name, Nodes: o.islands[name]})
		}
	}
}
