package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// flexOptions are those of `muster capacity flex`.
type flexOptions struct {
	*app
	reading
	scope string
}

func newCapacityFlex(a *app) *cobra.Command {
	o := &flexOptions{app: a}
	cmd := &cobra.Command{
		Use:     "flex [CLUSTER | CLUSTER/GPU]",
		Short:   "each partition's flex, and what each namespace has of it",
		Example: "  muster capacity flex\n  muster capacity flex tiger/h200 --watch",
		Args:    needs(0, 1, "at most one cluster or partition"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *flexOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Capacity.Flex(ctx, &musterv1.FlexRequest{AsOf: o.asOf.message(), Scope: o.scope})
	if err != nil {
		return answer{}, err
	}
	t := newTable("No namespace uses flex or waits for it.",
		column{head: "PARTITION", name: true}, column{head: "NAMESPACE", name: true},
		column{head: "USED", right: true}, column{head: "SHARE", right: true}, column{head: "WAITING", right: true},
	)
	for _, pool := range res.GetPools() {
		for _, n := range pool.GetNamespaces() {
			add := t.add
			if n.GetUsed() == 0 && n.GetWaiting() == 0 {
				add = t.hide
			}
			add(pool.GetPartition(), n.GetNamespace(), n.GetUsed(), n.GetShare(), n.GetWaiting())
		}
		if n := pool.GetOthers(); n != nil {
			t.add(pool.GetPartition(), words.OtherNamespaces(int(pool.GetOtherNamespaces())), n.GetUsed(), n.GetShare(), n.GetWaiting())
		}
	}
	return answer{message: res, table: t, lead: func(p *page) { p.pools(res.GetPools()) }}, nil
}

// pools draws each flex pool: how much of it is used.
func (p *page) pools(pools []*musterv1.FlexPool) {
	width := 0
	for _, pool := range pools {
		width = max(width, len(pool.GetPartition()))
	}
	for _, pool := range pools {
		p.say("%-*s %s %7s of %s used", width, pool.GetPartition(),
			p.paint.paint(waiting, bar(pool.GetUsed(), pool.GetFlex(), 40)), grouped(int64(pool.GetUsed())), grouped(int64(pool.GetFlex())))
	}
	if len(pools) > 0 {
		p.say("")
	}
}
