package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// brokenOptions are those of `muster promise broken`.
type brokenOptions struct {
	*app
	window
	scope string
	limit int32
}

func newPromiseBroken(a *app) *cobra.Command {
	o := &brokenOptions{app: a}
	cmd := &cobra.Command{
		Use:   "broken [CLUSTER | CLUSTER/GPU | CLUSTER/GPU/ISLAND]",
		Short: "what broke promises: when, which nodes, and what was promised",
		Long: `Broken lists the moments at which the whole healthy nodes fell below what was promised, the last first.
For each it says how many promises broke, how many nodes they promised and how many were whole, the
nodes whose loss broke them, and the incidents about them. muster events --from RECORD --limit 1 shows
the record.`,
		Example: "  muster promise broken\n  muster promise broken tiger/h200 --since 7d",
		Args:    needs(0, 1, "at most one cluster, partition or island"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			if err := o.window.check(); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.window.flags(a, cmd)
	cmd.Flags().Int32Var(&o.limit, "limit", 100, "at most so many")
	return cmd
}

func (o *brokenOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Promises.Broken(ctx, &musterv1.BrokenRequest{AsOf: o.asOf.message(), Since: o.window.from(), Scope: o.scope, Limit: o.limit})
	if err != nil {
		return answer{}, err
	}
	return o.answer(res), nil
}

// answer shows breaks. What broke them is wrapped and not cut: it is what people come for.
func (o *brokenOptions) answer(res *musterv1.BrokenResponse) answer {
	t := newTable("No promise was broken in this time.",
		column{head: "WHEN"}, column{head: "WHERE", name: true}, column{head: "HORIZON"}, column{head: "PROMISES", right: true},
		column{head: "PROMISED", brief: "PROMISED NODES", right: true}, column{head: "WHOLE", right: true}, column{head: "BROKEN BY", folds: true}, column{head: "CAUSE", folds: true},
		column{head: "INCIDENTS", wide: true, cut: true}, column{head: "RECORD", right: true, wide: true})
	for _, b := range res.GetBreaks() {
		where, by, cause := b.GetPartition(), lostNames(b.GetLost()), ""
		if b.GetIsland() != "" {
			where += "/" + b.GetIsland()
		}
		if len(b.GetLost()) > 0 {
			cause = b.GetLost()[0].GetCause()
		}
		t.add(b.GetAt(), where, spanOfHours(b.GetHorizonHours()), b.GetPromises(), b.GetPromised(), b.GetWhole(), by, cause, words.Few(b.GetIncidents(), 3), b.GetRecord())
	}
	ans := answer{message: res, table: t, lead: func(p *page) { p.covered(res.GetWindow(), &o.window) }}
	if len(res.GetBreaks()) > 0 {
		ans.unmet = "promises were broken"
	}
	if more := int(res.GetFound()) - len(res.GetBreaks()); more > 0 {
		ans.note = fmt.Sprintf("%d more are not shown; --limit %d shows them.", more, res.GetFound())
	}
	return ans
}

func lostNames(list []*musterv1.LostNode) string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.GetNode()
	}
	return words.Few(text.Folded(names), 2)
}
