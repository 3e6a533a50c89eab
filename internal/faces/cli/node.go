package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newNode(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "node", Short: "nodes: list, cordon, drain, uncordon, set, validate, release, history"}
	group(cmd, newNodeVerbs(a)...)
	return group(cmd, newNodeList(a), newNodeSet(a), newNodeValidate(a), newNodeRelease(a), newNodeHistory(a))
}

var nodeStates = []string{"healthy", "suspect", "quarantined", "repairing", "validating", "probation", "degraded", "maintenance", "retired"}

// nodeListOptions are those of `muster node list`.
type nodeListOptions struct {
	*app
	reading
	scope  string
	states []string
	names  []string
	limit  int
}

func newNodeList(a *app) *cobra.Command {
	o := &nodeListOptions{app: a}
	cmd := &cobra.Command{
		Use:     "list [CLUSTER | CLUSTER/GPU | CLUSTER/GPU/ISLAND]",
		Aliases: []string{"ls"},
		Short:   "list nodes, in order of partition, island and name",
		Example: "  muster node list tiger/h200/i1\n  muster node list --state quarantined,repairing",
		Args:    needs(0, 1, "at most one cluster, partition or island"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			for _, s := range o.states {
				if err := checkNodeState(s); err != nil {
					return err
				}
			}
			if err := checkLimit(o.limit); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().StringSliceVar(&o.states, "state", nil, "only in these states: "+strings.Join(nodeStates, ", "))
	cmd.Flags().IntVar(&o.limit, "limit", 200, "show at most so many (json, yaml and csv have all)")
	return cmd
}

// checkLimit refuses a number of rows that cannot be; 0: all.
func checkLimit(n int) error {
	if n < 0 {
		return usage("--limit %d; write a whole number, or 0 for all", n)
	}
	return nil
}

func checkNodeState(word string) error {
	if !slices.Contains(nodeStates, word) {
		return usage("%.40q is no state of a node; write one of %s", word, strings.Join(nodeStates, ", "))
	}
	return nil
}

func (o *nodeListOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{AsOf: o.asOf.message(), Scope: o.scope, Names: o.names, States: o.states})
	if err != nil {
		return answer{}, err
	}
	ans := answer{message: res, table: nodeTable(res.GetNodes()), lead: func(p *page) { p.banners(res.GetBanners()) }}
	if len(res.GetNodes()) == 0 {
		ans.unmet = "there is no such node"
	}
	if people := o.output == "table" || o.output == "wide"; people && o.limit > 0 && len(ans.table.rows) > o.limit {
		ans.table.rows = ans.table.rows[:o.limit]
		ans.tail = func(p *page) {
			p.say("%d of %s; --limit shows more.", o.limit, text.Count(len(res.GetNodes()), "node"))
		}
	}
	return ans, nil
}

func nodeTable(list []*musterv1.Node) *table {
	t := newTable("There are no such nodes.",
		column{head: "NODE", name: true}, column{head: "PARTITION", wide: true}, column{head: "ISLAND", wide: true},
		column{head: "RACK", right: true, wide: true}, column{head: "STATE"}, column{head: "SINCE"},
		column{head: "GPUS", right: true}, column{head: "DEAD", right: true, spare: true}, column{head: "FREE", right: true},
		column{head: "QUOTA", name: true, spare: true}, column{head: "WORKLOADS", cut: true, spare: true},
		column{head: "SIGNAL", cut: true, spare: true})
	for _, n := range list {
		t.add(n.GetName(), n.GetPartition(), n.GetIsland(), figure{float64(n.GetRack()), strconv.Itoa(int(n.GetRack()))}, state(n.GetState()), n.GetSince(), n.GetGpus(), n.GetDead(),
			n.GetFree(), n.GetQuota(), words.WorkOn(n), n.GetSignal())
	}
	return t
}

// nodeSetOptions are those of `muster node set`.
type nodeSetOptions struct {
	*app
	writing
	confirming
	state, signal string
	dead          int32
	at            moment
}

func newNodeSet(a *app) *cobra.Command {
	o := &nodeSetOptions{app: a}
	o.at.env = a.Env
	cmd := &cobra.Command{
		Use:     "set NODE... --state STATE",
		Short:   "put nodes into a state",
		Example: "  muster node set tiger-h200-i1-001..008 --state quarantined --signal 'XID 79'\n  muster node set tiger-h200-i1-003 --state degraded --dead 2",
		Args:    needs(1, -1, "the names of nodes, or ranges of them as in tiger-h200-i1-001..008"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := o.check(args)
			if err != nil {
				return err
			}
			return o.set(cmd.Context(), names, fmt.Sprintf("%s: %s", words.Few(names, 4), o.state))
		},
	}
	o.writing.flags(cmd)
	o.confirming.flagsFor(cmd, "work or quotas lose nodes")
	cmd.Flags().StringVar(&o.state, "state", "", strings.Join(nodeStates, ", "))
	cmd.Flags().Int32Var(&o.dead, "dead", 0, "GPUs that do not work; only with degraded")
	cmd.Flags().StringVar(&o.signal, "signal", "", "what was seen: an XID, a condition, or who says so")
	cmd.Flags().Var(&o.at, "at", "when it happened; the past is not changed, so only now is taken")
	return cmd
}

func (o *nodeSetOptions) check(args []string) ([]string, error) {
	if o.state == "" {
		return nil, noState(args)
	}
	if err := checkNodeState(o.state); err != nil {
		return nil, err
	}
	if o.dead > mostOnNode {
		return nil, usage("--dead %d: no node has so many GPUs; muster describe node %.80s says how many it has", o.dead, args[0])
	}
	return nodeNames(args)
}

// noState asks for the state of nodes: the one that was typed among them, or one of all.
func noState(args []string) error {
	if last := args[len(args)-1]; len(args) > 1 && slices.Contains(nodeStates, last) {
		return usage("muster node set takes the state as a flag: --state %s", last)
	}
	return usage("muster node set needs a state: --state with one of %s", strings.Join(nodeStates, ", "))
}

// mostOnNode is more than any node has: a number above it is a typing error.
const mostOnNode = 1024

// mostInRange is how many nodes one range names at most.
const mostInRange = 100_000

// nodeNames reads names of nodes and ranges of them.
func nodeNames(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		some, err := text.Unfolded(arg, mostInRange)
		if err != nil {
			return nil, usage("%s", err)
		}
		names = append(names, some...)
	}
	return names, nil
}
