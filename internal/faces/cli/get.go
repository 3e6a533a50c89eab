package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// kind is a kind of thing that get lists and describe shows.
type kind struct {
	one, many  string
	list, show func(*app) *cobra.Command // nil: there is no such question
	example    string                    // the name of one of them; "": the kind has no names
}

var kinds = []kind{
	{"fleet", "fleets", newFleetShow, newFleetShow, ""},
	{"partition", "partitions", newCapacity, newPartitionShow, "tiger/h200"},
	{"node", "nodes", newNodeList, newNodeShow, "tiger-h200-a-001"},
	{"quota", "quotas", newQuotaList, newQuotaShow, "research/oak"},
	{"job", "jobs", newJobList, newJobShow, "oak/pretrain-0042"},
	{"incident", "incidents", newIncidentList, nil, ""},
	{"hold", "holds", newQuotaHold, nil, ""},
}

// listed are the lines that list the kind, and get one of it.
func (k kind) listed() string {
	all := "  muster get " + k.one
	if k.example == "" {
		return all
	}
	return all + "\n" + all + " " + k.example + " -o yaml"
}

func newGet(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "get KIND [NAME]",
		Short:   "list things of one kind, or get one of them",
		Example: "  muster get quotas\n  muster get jobs -o json\n  muster get job oak/pretrain-0042 -o yaml",
	}
	for _, k := range kinds {
		cmd.AddCommand(newGetKind(a, k))
	}
	return group(cmd)
}

// newGetKind is the list of a kind; with a name it is that one thing instead.
func newGetKind(a *app, k kind) *cobra.Command {
	list := k.list(a)
	list.Use, list.Aliases, list.Example, list.Long = k.one+" [NAME]", []string{k.many}, k.listed(), ""
	list.ResetCommands()
	if k.show == nil || k.one == "fleet" {
		list.Use, list.Args = k.one, needs(0, 0, "")
		return list
	}
	show, all := k.show(a), list.RunE
	list.Args = needs(0, 1, "at most one name")
	list.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return all(cmd, args)
		}
		return delegate(cmd, show, args)
	}
	return list
}

// delegate runs another command with the flags that this one was given.
func delegate(from, to *cobra.Command, args []string) (err error) {
	from.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil, from.InheritedFlags().Lookup(f.Name) != nil: // the root's are shared
		case to.Flags().Lookup(f.Name) == nil:
			err = usage("--%s chooses among many, and a name is one already; give one of them", f.Name)
		default:
			err = to.Flags().Set(f.Name, f.Value.String())
		}
	})
	if err != nil {
		return err
	}
	to.SetContext(from.Context())
	return to.RunE(to, args)
}

func newDescribe(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "describe KIND NAME",
		Short:   "show one thing with all that belongs to it",
		Example: "  muster describe partition tiger/h200\n  muster describe quota research/oak\n  muster describe job oak/pretrain-0042",
	}
	for _, k := range kinds {
		if k.show != nil {
			show := k.show(a)
			show.Use, show.Aliases, show.Example = k.one+" NAME", []string{k.many}, "  "+strings.TrimSpace("muster describe "+k.one+" "+k.example)
			if k.one == "fleet" {
				show.Use = k.one
			}
			cmd.AddCommand(show)
		}
	}
	return group(cmd)
}

// showOptions are those of the commands that show one piece of hardware.
type showOptions struct {
	*app
	reading
	name string
}

func newShow(a *app, use, short, words string, ask func(*showOptions, context.Context) (answer, error)) *cobra.Command {
	o := &showOptions{app: a}
	names := 1
	if words == "" {
		names = 0
	}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: needs(names, names, words),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = first(args)
			return o.read(cmd.Context(), &o.reading, func(ctx context.Context) (answer, error) { return ask(o, ctx) })
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func newPartitionShow(a *app) *cobra.Command {
	cmd := newShow(a, "show PARTITION", "show one partition: its figures and islands", "a partition, as in tiger/h200", (*showOptions).partition)
	cmd.Annotations = map[string]string{formatsOf: "svg"}
	return cmd
}

func (o *showOptions) partition(ctx context.Context) (answer, error) {
	res, err := o.client().Capacity.Capacity(ctx, &musterv1.CapacityRequest{AsOf: o.asOf.message(), Scope: o.name})
	if err != nil {
		return answer{}, err
	}
	if o.output == "svg" {
		svg, err := o.islands(ctx, res)
		return answer{picture: svg}, err
	}
	return answer{message: res, rows: capacityTable(res), lead: func(p *page) {
		for _, row := range res.GetPartitions() {
			p.partition(row)
		}
	}}, nil
}

func (p *page) partition(row *musterv1.PartitionCapacity) {
	p.bars(row)
	f := row.GetFigures()
	for _, one := range []struct {
		name string
		n    int32
		note string
	}{
		{"usable", f.GetUsable(), ""},
		{"stranded", f.GetStranded(), "held on nodes that are not usable"},
		{"sustainable", f.GetSustainable(), "bounds what people may assign"},
		{"unbacked", f.GetUnbacked(), "assigned, and no healthy nodes behind it"},
		{"in pieces", f.GetGangsUnbacked(), "grants whose gang lies in no island whole"},
		{"unallocated", f.GetUnallocated(), "healthy, and assigned to no quota"},
		{"unscheduled", f.GetUnscheduled(), "backed, and not used"},
		{"borrowed", f.GetBorrowed(), "usage above backed that siblings cover"},
		{"over (cut)", f.GetOver(), "usage above backed that nothing covers"},
		{"held", row.GetHeld(), "earmarked by holds"},
		{"largest gang", f.GetLargestGang(), "that in-quota work could start now"},
	} {
		if one.n != 0 {
			p.say("  %-13s %9s  %s", one.name, grouped(int64(one.n)), one.note)
		}
	}
	p.say("")
	p.table(islandTable(row))
}

func islandTable(row *musterv1.PartitionCapacity) *table {
	t := newTable("It has no islands yet.",
		column{head: "ISLAND", name: true}, column{head: "NODES", right: true}, column{head: "HEALTHY NODES", right: true},
		column{head: "OWN SHARE", right: true}, column{head: "RACKS", right: true}, column{head: "USABLE", right: true},
		column{head: "BACKED", right: true}, column{head: "FREE", right: true})
	for _, i := range row.GetIslands() {
		t.add(i.GetIsland(), i.GetNodes(), i.GetWhole(), i.GetOwnShare(), i.GetRacks(), i.GetUsable(), i.GetBacked(), i.GetFree())
	}
	return t
}

func newNodeShow(a *app) *cobra.Command {
	return newShow(a, "show NODE", "show one node", "the name of a node", (*showOptions).node)
}

func (o *showOptions) node(ctx context.Context) (answer, error) {
	res, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{AsOf: o.asOf.message(), Names: []string{o.name}})
	if err != nil {
		return answer{}, err
	}
	if len(res.GetNodes()) == 0 {
		return answer{}, fmt.Errorf("there is no node %.80s; muster node list shows those there are", o.name)
	}
	n := res.GetNodes()[0]
	set := o.setter(ctx, n)
	return answer{message: res, rows: nodeTable(res.GetNodes()), lead: func(p *page) { p.node(n, set) }}, nil
}

// setter says who put a node into its state, and why; "" where the log does not
// tell, or the node is healthy.
func (o *showOptions) setter(ctx context.Context, n *musterv1.Node) string {
	if n.GetState() == "healthy" {
		return ""
	}
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{
		AsOf: o.asOf.message(), Since: n.GetSince(), About: n.GetName(), Kinds: []string{"node.changed"}, Limit: 1,
	})
	if err != nil || len(res.GetRecords()) == 0 || !res.GetRecords()[0].GetAt().AsTime().Equal(n.GetSince().AsTime()) {
		return ""
	}
	r := res.GetRecords()[0]
	return strings.TrimSpace(r.GetActor() + prefixed(": ", r.GetReason()))
}

// node shows one node field by field; set: who put it into its state, and why.
func (p *page) node(n *musterv1.Node, set string) {
	p.say("%s  %s", p.paint.paint(strong, n.GetName()), p.paint.paint(stateStyles[n.GetState()], n.GetState()))
	p.field("since", fmt.Sprintf("%s (%s ago)", p.moment(n.GetSince().AsTime()), p.ago(n.GetSince().AsTime())))
	p.field("set by", set)
	p.field("signal", n.GetSignal())
	p.field("place", fmt.Sprintf("%s/%s, rack %d", n.GetPartition(), n.GetIsland(), n.GetRack()))
	p.field("GPUs", fmt.Sprintf("%d, %d free", n.GetGpus(), n.GetFree()))
	p.field("dead GPUs", short2(n.GetDead(), "of them"))
	p.field("quota", n.GetQuota())
	p.field("workloads", words.Few(words.WorkOn(n), 12))
	p.tight(n)
}

// tight says for which pods a node has too little of something beside GPUs.
func (p *page) tight(n *musterv1.Node) {
	for i, t := range n.GetTight() {
		asked := ""
		if len(t.GetAskedBy()) > 0 {
			asked = " (" + words.Few(t.GetAskedBy(), 2) + ")"
		}
		name := " "
		if i == 0 {
			name = "tight for"
		}
		p.field(name, fmt.Sprintf("%s%s: takes %d of %s: %s", t.GetFootprint(), asked, t.GetTakes(), text.Count(int(t.GetOf()), "pod"), t.GetText()))
	}
	if more := n.GetTightMore(); more > 0 {
		p.field(" ", "and for "+text.Count(int(more), "other footprint"))
	}
}
