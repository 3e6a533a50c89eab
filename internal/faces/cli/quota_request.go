package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// askOptions are those of `muster quota request`.
type askOptions struct {
	quotaChange
	until moment
}

func newQuotaRequest(a *app) *cobra.Command {
	o := &askOptions{quotaChange: quotaChange{app: a}, until: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use:   "request QUOTA [PARTITION GPUS]",
		Short: "ask for more quota, or for access to one; says what could be given",
		Long: `Request asks for more GPUs for a quota; with --until, only until then. With --user, --group or
--for-namespace it asks for access: that they may target the quota. The answer says where the GPUs could
come from: what is unallocated, what flex offers meanwhile, and which quotas have not used some of their
GPUs for 90 days, each with the owner who must agree.`,
		Example: `  muster quota request research/oak tiger/h200 64 --reason 'a larger model'
  muster quota request research/oak tiger/h200 64 --until friday --reason 'demo week'
  muster quota request research/oak --user ada --reason 'joins the team'`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 3 && o.given():
				return usage("%s asks for GPUs or for access, not for both", cmd.CommandPath())
			case len(args) == 3 || len(args) == 1 && o.given():
				return nil
			}
			return usage("%s needs a quota, a partition and a number of GPUs; or a quota and who asks for access (--user, --group, --for-namespace)", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m := &musterv1.AskRequest{Write: o.writing.message(), Quota: args[0], Access: o.accessFlags.message(), Until: o.until.message()}
			if len(args) == 3 {
				gpus, err := gpusArgument(args[2])
				if err != nil {
					return err
				}
				m.Partition, m.Gpus = args[1], gpus
			}
			return o.ask(cmd.Context(), m)
		},
	}
	o.writing.flags(cmd)
	o.accessFlags.flags(cmd)
	cmd.Flags().Var(&o.until, "until", "ask for these GPUs until then: "+words.AheadExamples)
	return cmd
}

func (o *askOptions) ask(ctx context.Context, m *musterv1.AskRequest) error {
	ctx, end := o.within(ctx)
	defer end()
	done := o.progress("waiting for " + o.server)
	res, err := o.client().Requests.Ask(ctx, m)
	done()
	if err != nil {
		return err
	}
	undo := o.undoOf(ctx, res.GetWritten())
	return o.print(o.Out, answer{message: res, rows: writtenRows(res.GetWritten()), lead: func(p *page) {
		p.written(res.GetWritten(), "request made", &names{})
		if r := res.GetRequest(); r != nil {
			p.request(r)
		}
		if undo != "" {
			p.toCopy("Undo: ", undo)
		}
	}})
}

// request shows a request, with the GPUs that could be given for it.
func (p *page) request(r *musterv1.QuotaRequest) {
	p.say("Request %d: %s, by %s", r.GetId(), askedForQuota(r), r.GetBy())
	for _, o := range r.GetOffers() {
		p.say("  %s agreed that %s gives %s", o.GetBy(), o.GetFrom(), text.Count(o.GetGpus(), "GPU"))
	}
	if c := r.GetChances(); c != nil {
		p.say("")
		p.chances(r, c)
	}
}

// chances shows where the GPUs of a request could come from, with the command that takes
// each chance.
func (p *page) chances(r *musterv1.QuotaRequest, c *musterv1.Chances) {
	p.say("What there is in %s:", r.GetPartition())
	if c.GetUnallocated() >= r.GetGpus() {
		p.say("  %s unallocated: it can be granted at once", text.Counted(c.GetUnallocated(), "GPU is", "GPUs are"))
		p.command(fmt.Sprintf("muster quota answer %d grant", r.GetId()))
	} else {
		p.say("  %s unallocated, of the %s asked for", text.Counted(c.GetUnallocated(), "GPU is", "GPUs are"), text.Group(r.GetGpus()))
	}
	p.say("  %s flex, %s of them free now: meanwhile, for work that may be interrupted", text.Counted(c.GetFlex(), "GPU is", "GPUs are"), text.Group(c.GetFlexFree()))
	if r.GetUntil() != nil {
		return // what others give moves for good
	}
	for _, g := range c.GetGivers() {
		p.say("  %s used %s of its %s at most in 90 days: %s could move, if %s agrees", g.GetQuota(), text.Group(g.GetHighest()), text.Count(g.GetGrant(), "GPU"), text.Group(g.GetSpare()),
			orElse(g.GetOwner(), "its owner (none is named)"))
		p.command(fmt.Sprintf("muster quota offer %d %s %d", r.GetId(), g.GetQuota(), min(g.GetSpare(), r.GetGpus())))
	}
}

// askedForQuota says what a request asks for, and of which quota.
func askedForQuota(r *musterv1.QuotaRequest) string {
	if r.GetGpus() > 0 {
		return askedFor(r) + " for " + r.GetQuota()
	}
	return askedFor(r) + " to " + r.GetQuota()
}

// askedFor says what a request asks for: GPUs, or access.
func askedFor(r *musterv1.QuotaRequest) string {
	if r.GetGpus() > 0 {
		asks := fmt.Sprintf("%s more of %s", text.Count(r.GetGpus(), "GPU"), r.GetPartition())
		if r.GetUntil() != nil {
			asks += " until " + dayText(r.GetUntil().AsTime())
		}
		return asks
	}
	a := r.GetAccess()
	return "access of " + strings.Join(append(append(a.GetUsers(), a.GetGroups()...), a.GetNamespaces()...), ", ")
}

// requestListOptions are those of `muster quota requests`.
type requestListOptions struct {
	*app
	all bool
}

func newQuotaRequests(a *app) *cobra.Command {
	o := &requestListOptions{app: a}
	cmd := &cobra.Command{
		Use: "requests [QUOTA]", Short: "list quota requests: the open ones, or all",
		Example: "  muster quota requests --all",
		Args:    needs(0, 1, "at most one quota"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.list(cmd.Context(), first(args))
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "answered requests as well")
	return cmd
}

func (o *requestListOptions) list(ctx context.Context, quota string) error {
	ctx, end := o.within(ctx)
	defer end()
	res, err := o.client().Requests.ListRequests(ctx, &musterv1.ListRequestsRequest{All: o.all, Quota: quota})
	if err != nil {
		return err
	}
	t := newTable("There are no open requests.",
		column{head: "ID", right: true}, column{head: "WANTED", folds: true}, column{head: "FOR", name: true}, column{head: "STATE"}, column{head: "BY", cut: true}, column{head: "ASKED"},
		column{head: "OFFERED", right: true, spare: true}, column{head: "ANSWERED BY", cut: true, spare: true}, column{head: "REASON", folds: true, spare: true})
	for _, r := range res.GetRequests() {
		offered := int32(0)
		for _, of := range r.GetOffers() {
			offered += of.GetGpus()
		}
		t.add(r.GetId(), askedFor(r), r.GetQuota(), r.GetState(), r.GetBy(), r.GetAt(), offered, r.GetAnsweredBy(), orElse(r.GetAnswer(), r.GetReason()))
	}
	ans := answer{message: res, table: t}
	if len(res.GetRequests()) == 0 {
		ans.unmet = "there is no request"
	}
	return o.print(o.Out, ans)
}
