package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func newSubscription(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "subscription", Aliases: []string{"subscriptions"},
		Short: "who is told of what, as signed webhooks: add, list, remove, secret, test",
	}
	return group(cmd, newSubscriptionAdd(a), newSubscriptionList(a), newSubscriptionRemove(a), newSubscriptionSecret(a), newSubscriptionTest(a))
}

// subscribeOptions are those of `muster subscription add`.
type subscribeOptions struct {
	*app
	writing
	want musterv1.Subscription
}

func newSubscriptionAdd(a *app) *cobra.Command {
	o := &subscribeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "add NAME URL",
		Short: "tell a URL of evictions, cuts, broken promises, incidents, planned work and clusters that are built",
		Long: `Add tells a URL of what happens to a quota, to a namespace (a team), to a workload, to a cluster that is
built, to those of an owner, or to the whole fleet. A call is a POST of JSON whose field text chat
systems show. Calls are signed: muster subscription secret NAME says with what. A notice comes at least once, in order, with an ID that never changes; calls that
fail are repeated for a day. Adding a name again replaces what it was, and changes its secret.`,
		Example: `  muster subscription add oak-chat https://chat.example.com/hooks/1 --quota research/oak
  muster subscription add ada https://example.com/muster --namespace ada --kind evicted --kind mended
  muster subscription add capacity https://example.com/muster --owner capacity --kind person --kind late`,
		Args: needs(2, 2, "a name and a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.want.Name, o.want.Url = args[0], args[1]
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Subscriptions.Subscribe(ctx, &musterv1.SubscribeRequest{Write: o.writing.message(), Subscription: &o.want})
				return res.GetWritten(), err
			}, "subscription "+args[0]+" set", "muster subscription test "+args[0]+" calls it once.")
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.want.Quota, "quota", "", "about this quota and those under it")
	f.StringVarP(&o.want.Namespace, "namespace", "n", "", "about this namespace's work")
	f.StringVar(&o.want.Workload, "workload", "", "about this workload, NAMESPACE/NAME")
	f.StringVar(&o.want.Cluster, "cluster", "", "about this cluster's life")
	f.StringVar(&o.want.Owner, "owner", "", "about the lives of the clusters whose records name this owner")
	f.StringSliceVar(&o.want.Kinds, "kind", nil, "evicted, mended, cut, unbacked, incident, breaker, planned, deadline; of clusters that are built person, late, production, degraded; may be repeated; none: all of them")
	return cmd
}

func newSubscriptionList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list subscriptions, and how their deliveries stand",
		Example: "  muster subscription list",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.listSubscriptions(cmd.Context())
		},
	}
}

func (a *app) listSubscriptions(ctx context.Context) error {
	ctx, end := a.within(ctx)
	defer end()
	res, err := a.client().Subscriptions.ListSubscriptions(ctx, &musterv1.ListSubscriptionsRequest{})
	if err != nil {
		return err
	}
	t := newTable("There are no subscriptions.",
		column{head: "SUBSCRIPTION", name: true}, column{head: "ABOUT", name: true}, column{head: "KINDS", cut: true}, column{head: "DELIVERED"}, column{head: "WAITING"},
		column{head: "LAST"}, column{head: "URL", cut: true}, column{head: "TROUBLE", folds: true, spare: true})
	for _, s := range res.GetSubscriptions() {
		d := s.GetDeliveries()
		t.add(s.GetName(), aboutOf(s), orElse(strings.Join(s.GetKinds(), ","), "all"), d.GetDelivered(), d.GetWaiting(), d.GetLast(), s.GetUrl(), trouble(d))
	}
	ans := answer{message: res, table: t}
	if len(res.GetSubscriptions()) == 0 {
		ans.unmet = "there is no subscription"
	}
	return a.print(a.Out, ans)
}

func aboutOf(s *musterv1.Subscription) string {
	switch {
	case s.GetWorkload() != "":
		return s.GetWorkload()
	case s.GetNamespace() != "":
		return "namespace " + s.GetNamespace()
	case s.GetQuota() != "":
		return s.GetQuota()
	case s.GetCluster() != "":
		return "cluster " + s.GetCluster()
	case s.GetOwner() != "":
		return "clusters of " + s.GetOwner()
	}
	return "fleet"
}

func trouble(d *musterv1.Deliveries) string {
	var parts []string
	if d.GetError() != "" {
		parts = append(parts, d.GetError())
	}
	if d.GetDropped() > 0 {
		parts = append(parts, fmt.Sprintf("%d given up", d.GetDropped()))
	}
	return strings.Join(parts, "; ")
}

// unsubscribeOptions are those of `muster subscription remove`.
type unsubscribeOptions struct {
	*app
	writing
}

func newSubscriptionRemove(a *app) *cobra.Command {
	o := &unsubscribeOptions{app: a}
	cmd := &cobra.Command{
		Use: "remove NAME", Aliases: []string{"rm"}, Short: "end a subscription",
		Example: "  muster subscription remove pager",
		Args:    needs(1, 1, "the name of a subscription"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Subscriptions.Unsubscribe(ctx, &musterv1.UnsubscribeRequest{Write: o.writing.message(), Name: args[0]})
				return res.GetWritten(), err
			}, "subscription "+args[0]+" ended")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

func newSubscriptionSecret(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "secret NAME", Short: "what a subscription's calls are signed with; for operators",
		Example: "  muster subscription secret pager",
		Args:    needs(1, 1, "the name of a subscription"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			res, err := a.client().Subscriptions.GetSecret(ctx, &musterv1.GetSecretRequest{Name: args[0]})
			if err != nil {
				return err
			}
			return a.print(a.Out, answer{message: res, lead: func(p *page) { p.say("%s", res.GetSecret()) }})
		},
	}
}

func newSubscriptionTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "test NAME", Short: "call a subscription's URL once; for operators",
		Example: "  muster subscription test pager",
		Args:    needs(1, 1, "the name of a subscription"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			done := a.progress("calling")
			res, err := a.client().Subscriptions.TestSubscription(ctx, &musterv1.TestSubscriptionRequest{Name: args[0]})
			done()
			if err != nil {
				return err
			}
			if res.GetError() != "" {
				return fmt.Errorf("subscription %s: %s", args[0], res.GetError())
			}
			return a.print(a.Out, answer{message: res, lead: func(p *page) { p.say("%s took it", args[0]) }})
		},
	}
}
