package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// lifeOptions are those of the questions about clusters that are built.
type lifeOptions struct {
	*app
	reading
	cluster string
}

func newClusterList(a *app) *cobra.Command {
	o := &lifeOptions{app: a}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls", "board"}, Short: "clusters that are being built: phase, what each waits for, on whom, since when, until when",
		Example: "  muster cluster list --watch",
		Args:    needs(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.read(cmd.Context(), &o.reading, o.list) },
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *lifeOptions) list(ctx context.Context) (answer, error) {
	res, err := o.client().Buildout.ListClusters(ctx, &musterv1.ListClustersRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable("No cluster is planned: muster cluster plan enters a record, muster cluster import a sheet.",
		column{head: "CLUSTER"}, column{head: "PHASE"}, column{head: "WAITS FOR"}, column{head: "ON"}, column{head: "SINCE"},
		column{head: "PERSON", wide: true}, column{head: "LATE"}, column{head: "P50"}, column{head: "P90"}, column{head: "TOUCHES", right: true, wide: true}, column{head: "GPUS", right: true})
	for _, c := range res.GetClusters() {
		t.add(c.GetRecord().GetName(), phaseOf(c), c.GetWaits(), c.GetOn(), c.GetSince(), c.GetPerson(), c.GetLate(), c.GetP50(), c.GetP90(), c.GetTouches(), c.GetGpus())
	}
	return answer{message: res, table: t}, nil
}

func phaseOf(c *musterv1.ClusterLife) string {
	switch {
	case c.GetHeld():
		return c.GetPhase() + " (held)"
	case c.GetDegraded():
		return c.GetPhase() + " (degraded)"
	}
	return c.GetPhase()
}

func newClusterWhy(a *app) *cobra.Command {
	o := &lifeOptions{app: a}
	cmd := &cobra.Command{
		Use: "why CLUSTER", Short: "what a cluster that is being built waits for, and on whom, in one sentence",
		Example: "  muster cluster why lynx",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cluster = args[0]
			return o.read(cmd.Context(), &o.reading, o.why)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *lifeOptions) why(ctx context.Context) (answer, error) {
	res, err := o.client().Buildout.GetCluster(ctx, &musterv1.GetClusterRequest{AsOf: o.asOf.message(), Cluster: o.cluster})
	if err != nil {
		return answer{}, err
	}
	c := res.GetCluster()
	rows := newTable("", column{head: "CLUSTER"}, column{head: "WAITS FOR"}, column{head: "ON"}, column{head: "WHY"})
	rows.add(c.GetRecord().GetName(), c.GetWaits(), c.GetOn(), c.GetWhy())
	return answer{message: c, rows: rows, lead: func(p *page) { p.wrapAs("", c.GetWhy()) }}, nil
}

func newClusterShow(a *app) *cobra.Command {
	o := &lifeOptions{app: a}
	cmd := &cobra.Command{
		Use: "show CLUSTER", Aliases: []string{"life"}, Short: "a cluster's life: conditions, steps with their tries, touches, cores",
		Example: "  muster cluster show lynx",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cluster = args[0]
			return o.read(cmd.Context(), &o.reading, o.show)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *lifeOptions) show(ctx context.Context) (answer, error) {
	res, err := o.client().Buildout.GetCluster(ctx, &musterv1.GetClusterRequest{AsOf: o.asOf.message(), Cluster: o.cluster})
	if err != nil {
		return answer{}, err
	}
	t := newTable("", column{head: "CONDITION"}, column{head: "STATUS"}, column{head: "REASON"}, column{head: "ON"}, column{head: "SINCE"},
		column{head: "TRIES", right: true}, column{head: "P90"}, column{head: "MESSAGE", folds: true})
	for _, c := range res.GetConditions() {
		t.add(c.GetType(), c.GetStatus(), c.GetReason(), c.GetOn(), c.GetSince(), c.GetTries(), c.GetP90(), c.GetMessage())
	}
	return answer{message: res, table: t, lead: func(p *page) { p.life(res) }}, nil
}

// life says above the conditions what a person wants to know first.
func (p *page) life(res *musterv1.GetClusterResponse) {
	c := res.GetCluster()
	p.wrapAs("", c.GetWhy())
	r := c.GetRecord()
	p.say("  %s/%s %s, %s, blueprint %s version %d, generation %d", r.GetSubscription(), r.GetRegion(), r.GetGpu(),
		strings.Join(islandTexts(r), " "), r.GetBlueprint(), c.GetBlueprintVersion(), c.GetGeneration())
	if c.GetP50() != nil {
		p.say("  %s by %s (p50), %s (p90)", dateWord(res), c.GetP50().AsTime().Format("2006-01-02 15:04Z"), c.GetP90().AsTime().Format("2006-01-02 15:04Z"))
	}
	for _, t := range res.GetTouches() {
		p.say("  touch: %s %s by %s at %s", t.GetWhat(), t.GetStep(), t.GetBy(), t.GetAt().AsTime().Format("2006-01-02 15:04Z"))
	}
	for _, s := range res.GetSteps() {
		if s.GetError() != "" {
			p.wrapAs("  ", fmt.Sprintf("%s: %s (%s)", s.GetStep(), s.GetError(), s.GetOperation()))
		}
	}
}

// dateWord begins the date of production. One that is past says so.
func dateWord(res *musterv1.GetClusterResponse) string {
	if res.GetCluster().GetP90().AsTime().Before(res.GetSeen().GetAt().AsTime()) {
		return "was to be in production"
	}
	return "in production"
}

func islandTexts(r *musterv1.ClusterRecord) (texts []string) {
	for _, i := range r.GetIslands() {
		texts = append(texts, fmt.Sprintf("%s:%d", i.GetName(), i.GetNodes()))
	}
	return texts
}

func newCloud(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "cloud", Short: "the cloud's quota: what is granted, used, reserved, and the clusters that wait"}
	return group(cmd, newCloudQuota(a))
}

func newCloudQuota(a *app) *cobra.Command {
	o := &lifeOptions{app: a}
	cmd := &cobra.Command{
		Use: "quota", Short: "the ledger by subscription, region and meter, in cores", Example: "  muster cloud quota",
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.read(cmd.Context(), &o.reading, o.ledger) },
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *lifeOptions) ledger(ctx context.Context) (answer, error) {
	res, err := o.client().Buildout.CloudQuota(ctx, &musterv1.CloudQuotaRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable("No cloud account is known: a cluster that is planned names one.",
		column{head: "ACCOUNT"}, column{head: "METER"}, column{head: "LIMIT", right: true}, column{head: "USED", right: true}, column{head: "RESERVED", right: true},
		column{head: "FREE", right: true}, column{head: "READ"}, column{head: "WAITING", folds: true})
	var unread []string
	for _, g := range res.GetAccounts() {
		for _, m := range g.GetMeters() {
			t.add(g.GetAccount(), m.GetMeter(), m.GetLimit(), m.GetUsed(), m.GetReserved(), m.GetFree(), g.GetRead(), waitingForCores(g, m.GetMeter()))
		}
		for _, meter := range uncounted(g) {
			t.add(g.GetAccount(), meter, "?", "?", "?", "?", g.GetRead(), waitingForCores(g, meter))
		}
		if g.GetError() != "" {
			unread = append(unread, g.GetAccount()+" could not be read: "+g.GetError())
		}
	}
	return answer{message: res, table: t, note: strings.Join(unread, "\n")}, nil
}

// uncounted lists the meters that clusters wait for and the cloud does not count.
func uncounted(g *musterv1.CloudLedger) (meters []string) {
	for _, c := range g.GetClaims() {
		for _, m := range c.GetMeters() {
			counted := slices.ContainsFunc(g.GetMeters(), func(x *musterv1.MeterLedger) bool { return x.GetMeter() == m.GetMeter() })
			if m.GetNeeds() > 0 && !counted && !slices.Contains(meters, m.GetMeter()) {
				meters = append(meters, m.GetMeter())
			}
		}
	}
	return meters
}

// waitingForCores lists the clusters that wait for cores of a meter, in the order in which they are served.
func waitingForCores(g *musterv1.CloudLedger, meter string) string {
	var texts []string
	for _, c := range g.GetClaims() {
		for _, m := range c.GetMeters() {
			if m.GetMeter() == meter && m.GetNeeds() > 0 {
				texts = append(texts, fmt.Sprintf("%s (%d)", c.GetCluster(), m.GetNeeds()))
			}
		}
	}
	return strings.Join(texts, ", ")
}
