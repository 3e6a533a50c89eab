package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

func newCluster(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "cluster", Aliases: []string{"clusters"}, Short: "clusters: built from a record to production, ready for a wave, mode, shadow"}
	own := []*cobra.Command{
		newClusterReady(a), newClusterMode(a), newClusterShadow(a), newClusterList(a), newClusterShow(a), newClusterWhy(a), newClusterLog(a), newClusterPlan(a), newClusterImport(a), newClusterVersion(a), newClusterChange(a),
	}
	return group(cmd, append(own, newClusterSteers(a)...)...)
}

// clusterReadyOptions are those of `muster cluster ready`.
type clusterReadyOptions struct {
	*app
	reading
	cluster, plan string
}

func newClusterReady(a *app) *cobra.Command {
	o := &clusterReadyOptions{app: a}
	cmd := &cobra.Command{
		Use:     "ready CLUSTER",
		Short:   "what a cluster still lacks before a wave of a haircut may take it",
		Example: "  muster cluster ready tiger --exit-code   # exit code 3 if it is not ready",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cluster = args[0]
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().StringVar(&o.plan, "haircut", "", "for a wave of this plan; none: of the newest that is still to come there")
	return cmd
}

func (o *clusterReadyOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Haircuts.ClusterReady(ctx, &musterv1.ClusterReadyRequest{AsOf: o.asOf.message(), Cluster: o.cluster, Haircut: o.plan})
	if err != nil {
		return answer{}, err
	}
	rows := newTable("", column{head: "ITEM"}, column{head: "PASSED"}, column{head: "MISSING"})
	missing := 0
	for _, item := range res.GetItems() {
		missing += len(item.GetMissing())
		rows.add(item.GetName(), len(item.GetMissing()) == 0, item.GetMissing())
	}
	ans := answer{message: res, rows: rows, lead: func(p *page) { p.ready(o.cluster, res) }}
	if missing > 0 {
		ans.unmet = "cluster " + o.cluster + " is not ready"
	}
	return ans, nil
}

func (p *page) ready(cluster string, res *musterv1.ClusterReadyResponse) {
	of := ""
	if res.GetHaircut() != "" {
		of = ", for haircut " + res.GetHaircut()
	}
	p.say("%s  mode %s%s", p.paint.paint(strong, cluster), res.GetMode(), of)
	const most = 10
	for _, item := range res.GetItems() {
		if len(item.GetMissing()) == 0 {
			p.say("  %s %s", p.paint.paint(good, "yes"), item.GetName())
			continue
		}
		p.say("  %s  %s", p.paint.paint(bad, "no"), item.GetName())
		for i, text := range item.GetMissing() {
			if i == most {
				p.say("      … and %d more (-o json)", len(item.GetMissing())-most)
				break
			}
			p.wrapAs("      ", text)
		}
	}
}

// clusterModeOptions are those of `muster cluster mode`.
type clusterModeOptions struct {
	*app
	writing
}

func newClusterMode(a *app) *cobra.Command {
	o := &clusterModeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "mode CLUSTER observe|shadow|enforce",
		Short: "set how far Muster acts on a cluster: observe, shadow or enforce",
		Long: `A cluster goes from observe (seen, no work is started or taken away) to shadow (what Muster would
decide can be seen: muster cluster shadow) to enforce, one at a time; back it goes at once.`,
		Example:   "  muster cluster mode tiger shadow --reason 'a week of looking'",
		Args:      needs(2, 2, "the name of a cluster, and observe, shadow or enforce"),
		ValidArgs: []string{"observe", "shadow", "enforce"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Haircuts.SetClusterMode(ctx, &musterv1.SetClusterModeRequest{Write: o.writing.message(), Cluster: args[0], Mode: args[1]})
				return res.GetWritten(), err
			}, fmt.Sprintf("cluster %s is in mode %s", args[0], args[1]))
		},
	}
	o.writing.flags(cmd)
	o.writing.proposes(cmd)
	return cmd
}

// clusterShadowOptions are those of `muster cluster shadow`.
type clusterShadowOptions struct {
	*app
	since moment
}

func newClusterShadow(a *app) *cobra.Command {
	o := &clusterShadowOptions{app: a}
	cmd := &cobra.Command{
		Use:   "shadow CLUSTER",
		Short: "what Muster would decide in a cluster now, were it in mode enforce; nothing is done",
		Long: `Shadow says what Muster would decide in a cluster now, were it in mode enforce. With --since it says
what it would have decided since then, while the cluster was in observe or shadow, and what became of it.`,
		Example: "  muster cluster shadow tiger\n  muster cluster shadow tiger --since 7d",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !o.since.at.IsZero() {
				return o.read(cmd.Context(), &reading{}, func(ctx context.Context) (answer, error) { return o.compare(ctx, args[0]) })
			}
			return o.read(cmd.Context(), &reading{}, func(ctx context.Context) (answer, error) { return o.ask(ctx, args[0]) })
		},
	}
	o.since.env = a.Env
	cmd.Flags().Var(&o.since, "since", "compare with what happened since this moment: 2026-11-01, or 7d")
	return cmd
}

// compare sets what would have been decided beside what happened.
func (o *clusterShadowOptions) compare(ctx context.Context, cluster string) (answer, error) {
	res, err := o.client().Haircuts.ShadowHistory(ctx, &musterv1.ShadowHistoryRequest{Cluster: cluster, Since: o.since.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable("Nothing would have been decided there.",
		column{head: "AT"}, column{head: "WORKLOAD", name: true}, column{head: "WOULD"}, column{head: "HOW"}, column{head: "PARTITION", name: true},
		column{head: "GPUS", right: true}, column{head: "HAPPENED", folds: true}, column{head: "WHEN"})
	for _, c := range res.GetCases() {
		t.add(c.GetAt(), c.GetWorkload(), c.GetWould(), c.GetHow(), c.GetPartition(), c.GetGpus(), c.GetHappened(), c.GetHappenedAt())
	}
	ans := answer{message: res, table: t, lead: func(p *page) {
		p.say("%s  mode %s; since %s what would be decided was asked %s, at least %s apart",
			p.paint.paint(strong, cluster), res.GetMode(), p.moment(res.GetSince().AsTime()), counted(int64(res.GetLooks()), "time", "times"), short(res.GetEvery().AsDuration()))
		for _, s := range picture.ShadowsOf(res.GetCases()) {
			p.wrapAs("  - ", s.Line())
		}
	}}
	if res.GetCut() {
		ans.note = "There are more; --since a later moment shows them."
	}
	return ans, nil
}

func (o *clusterShadowOptions) ask(ctx context.Context, cluster string) (answer, error) {
	res, err := o.client().Haircuts.ShadowDecisions(ctx, &musterv1.ShadowDecisionsRequest{Cluster: cluster})
	if err != nil {
		return answer{}, err
	}
	n := &names{}
	n.learn(ctx, o.app, []*musterv1.Record{{Events: res.GetEvents()}})
	rows := newTable("", column{head: "KIND"}, column{head: "DATA"})
	for _, e := range res.GetEvents() {
		rows.add(e.GetKind(), e.GetData())
	}
	return answer{message: res, rows: rows, lead: func(p *page) {
		p.say("%s  mode %s", p.paint.paint(strong, cluster), res.GetMode())
		for _, e := range res.GetEvents() {
			p.wrapAs("  - ", n.plan(e))
		}
		if len(res.GetEvents()) == 0 {
			p.say("Nothing would be decided that is not so already.")
		}
	}}, nil
}
