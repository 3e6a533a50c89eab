package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// nodesOptions are those of `muster nodes`.
type nodesOptions struct {
	*app
	window
	scope  string
	states []string
	all    bool
	limit  int
}

func newNodes(a *app) *cobra.Command {
	o := &nodesOptions{app: a}
	cmd := &cobra.Command{
		Use:   "nodes [CLUSTER | CLUSTER/GPU | CLUSTER/GPU/ISLAND]",
		Short: "nodes that are out or fail: state, since when, why, and how often",
		Long: `Nodes lists the nodes that are not healthy now, and those that failed in the window, most often first.
A failure is a time out of service that was neither planned nor a mere suspicion; down does not count probation.`,
		Example: "  muster nodes tiger --since 90d\n  muster nodes tiger/h200/i1 --all\n  muster nodes --state repairing --as-of 2d",
		Args:    needs(0, 1, "at most one cluster, partition or island"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			for _, s := range o.states {
				if err := checkNodeState(s); err != nil {
					return err
				}
			}
			if err := o.window.check(); err != nil {
				return err
			}
			if err := checkLimit(o.limit); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.window.flags(a, cmd)
	cmd.Flags().StringSliceVar(&o.states, "state", nil, "only in these states: "+strings.Join(nodeStates, ", "))
	cmd.Flags().BoolVarP(&o.all, "all", "A", false, "every node, those without trouble too")
	cmd.Flags().IntVar(&o.limit, "limit", 50, "show at most so many (json, yaml and csv have all)")
	return cmd
}

func (o *nodesOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Past.NodeHistory(ctx, &musterv1.NodeHistoryRequest{
		AsOf: o.asOf.message(), Since: o.window.from(), Scope: o.scope, States: o.states, Troubled: !o.all && len(o.states) == 0,
	})
	if err != nil {
		return answer{}, err
	}
	t := newTable("No node is out, and none has failed in this time.",
		column{head: "NODE", name: true}, column{head: "PARTITION", wide: true}, column{head: "ISLAND", wide: true},
		column{head: "STATE"}, column{head: "SINCE"}, column{head: "CAUSE", folds: true, spare: true},
		column{head: "FAILURES", right: true}, column{head: "DOWN", right: true}, column{head: "LAST FAILURE"},
		column{head: "EVER", right: true, wide: true}, column{head: "INTERRUPTIONS", right: true, wide: true})
	for _, n := range res.GetNodes() {
		t.add(n.GetNode(), n.GetPartition(), n.GetIsland(), state(n.GetState()), n.GetSince(), n.GetCause(),
			n.GetFailures(), spanOf(n.GetDown()), n.GetLastFailure(), n.GetFailuresEver(), n.GetInterruptionsEver())
	}
	ans := answer{message: res, table: t, lead: func(p *page) { p.covered(res.GetWindow(), &o.window) }}
	if people := o.output == "table" || o.output == "wide"; people && o.limit > 0 && len(t.rows) > o.limit {
		t.rows = t.rows[:o.limit]
		ans.tail = func(p *page) {
			p.say("%d of %s; --limit shows more.", o.limit, text.Count(len(res.GetNodes()), "node"))
		}
	}
	return ans, nil
}
