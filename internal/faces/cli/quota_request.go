package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
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
		Short: "ask for more quota, or to be let into one; says what there is",
		Long: `Request asks for GPUs more for a quota, with --until only until then; with --user, --group or --for-namespace it asks that they may
target the quota. It is answered with what there is: what is unallocated, what flex holds meanwhile,
and which quotas have not used some of theirs for 90 days, each with the owner who must agree.`,
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
			return usage("%s needs a quota, a partition and a number of GPUs; or a quota and who shall be let in (--user, --group, --for-namespace)", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m := &musterv1.AskRequest{Write: o.writing.message(), Quota: args[0], Access: o.accessFlags.message(), Until: o.until.message()}
			if len(args) == 3 {
				gpus, err := strconv.ParseInt(args[2], 10, 32)
				if err != nil {
					return usage("%.40q is no number of GPUs", args[2])
				}
				m.Partition, m.Gpus = args[1], int32(gpus)
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
	return o.print(o.Out, answer{message: res, rows: writtenRows(res.GetWritten()), lead: func(p *page) {
		p.written(res.GetWritten(), "request made", &names{})
		if r := res.GetRequest(); r != nil {
			p.request(r)
		}
	}})
}

// request says a request with what there is for it.
func (p *page) request(r *musterv1.QuotaRequest) {
	p.say("Request %d: %s, by %s", r.GetId(), wanted(r), r.GetBy())
	for _, o := range r.GetOffers() {
		p.say("  %s agreed that %s gives %d GPUs", o.GetBy(), o.GetFrom(), o.GetGpus())
	}
	c := r.GetChances()
	if c == nil {
		return
	}
	p.say("")
	p.say("What there is in %s:", r.GetPartition())
	if c.GetUnallocated() >= r.GetGpus() {
		p.say("  %d GPUs are unallocated: it can be granted at once", c.GetUnallocated())
		p.command(fmt.Sprintf("muster quota answer %d grant", r.GetId()))
	} else {
		p.say("  %d GPUs are unallocated, of the %d asked for", c.GetUnallocated(), r.GetGpus())
	}
	p.say("  %d GPUs are flex, %d of them free now: meanwhile, for who can be interrupted", c.GetFlex(), c.GetFlexFree())
	if r.GetUntil() != nil {
		return // what others give moves for good
	}
	for _, g := range c.GetGivers() {
		p.say("  %s used %d of its %d GPUs at most in 90 days: %d could move, if %s agrees", g.GetQuota(), g.GetHighest(), g.GetGrant(), g.GetSpare(),
			orElse(g.GetOwner(), "its owner (nobody is named)"))
		p.command(fmt.Sprintf("muster quota offer %d %s %d", r.GetId(), g.GetQuota(), min(g.GetSpare(), r.GetGpus())))
	}
}

// wanted says what a request asks for, and for which quota.
func wanted(r *musterv1.QuotaRequest) string {
	if r.GetGpus() > 0 {
		return what(r) + " for " + r.GetQuota()
	}
	return what(r) + " to " + r.GetQuota()
}

// what says what a request asks for.
func what(r *musterv1.QuotaRequest) string {
	if r.GetGpus() > 0 {
		asks := fmt.Sprintf("%d GPUs more of %s", r.GetGpus(), r.GetPartition())
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
	cmd.Flags().BoolVar(&o.all, "all", false, "those that are answered too")
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
		column{head: "OFFERED", right: true, spare: true}, column{head: "ANSWERED BY", cut: true, spare: true}, column{head: "WHY", folds: true, spare: true})
	for _, r := range res.GetRequests() {
		offered := int32(0)
		for _, of := range r.GetOffers() {
			offered += of.GetGpus()
		}
		t.add(r.GetId(), what(r), r.GetQuota(), r.GetState(), r.GetBy(), r.GetAt(), offered, r.GetAnsweredBy(), orElse(r.GetAnswer(), r.GetReason()))
	}
	ans := answer{message: res, table: t}
	if len(res.GetRequests()) == 0 {
		ans.unmet = "there is no request"
	}
	return o.print(o.Out, ans)
}

// requestNumber reads the number of a request.
func requestNumber(text string) (uint64, error) {
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, usage("%.40q is no number of a request; muster quota requests lists them", text)
	}
	return id, nil
}

// requestChange is what the commands that change a request have in common.
type requestChange struct {
	*app
	writing
}

func newQuotaOffer(a *app) *cobra.Command {
	o := &requestChange{app: a}
	cmd := &cobra.Command{
		Use: "offer REQUEST QUOTA GPUS", Short: "agree that a quota you answer for gives GPUs for a request",
		Example: "  muster quota offer 7 research/elm 32",
		Args:    needs(3, 3, "the number of a request, a quota and a number of GPUs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := requestNumber(args[0])
			if err != nil {
				return err
			}
			gpus, err := strconv.ParseInt(args[2], 10, 32)
			if err != nil {
				return usage("%.40q is no number of GPUs", args[2])
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Requests.Offer(ctx, &musterv1.OfferRequest{Write: o.writing.message(), Id: id, From: args[1], Gpus: int32(gpus)})
				return res.GetWritten(), err
			}, fmt.Sprintf("%d GPUs of %s offered for request %d", gpus, args[1], id))
		},
	}
	o.writing.flags(cmd)
	return cmd
}

func newQuotaAnswer(a *app) *cobra.Command {
	o := &requestChange{app: a}
	cmd := &cobra.Command{
		Use: "answer REQUEST grant|decline", Short: "grant or decline a request; what is granted is done at once",
		Example: "  muster quota answer 7 grant --reason 'agreed on Monday'",
		Args:    needs(2, 2, "the number of a request, and grant or decline"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := requestNumber(args[0])
			if err != nil {
				return err
			}
			if args[1] != "grant" && args[1] != "decline" {
				return usage("%.40q is no answer; write grant or decline", args[1])
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Requests.Answer(ctx, &musterv1.AnswerRequest{Write: o.writing.message(), Id: id, Grant: args[1] == "grant"})
				return res.GetWritten(), err
			}, fmt.Sprintf("request %d %s", id, map[string]string{"grant": "granted", "decline": "declined"}[args[1]]))
		},
	}
	o.writing.flags(cmd)
	return cmd
}

func newQuotaWithdraw(a *app) *cobra.Command {
	o := &requestChange{app: a}
	cmd := &cobra.Command{
		Use: "withdraw REQUEST", Short: "take a request back",
		Args: needs(1, 1, "the number of a request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := requestNumber(args[0])
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Requests.Withdraw(ctx, &musterv1.WithdrawRequest{Write: o.writing.message(), Id: id})
				return res.GetWritten(), err
			}, fmt.Sprintf("request %d withdrawn", id))
		},
	}
	o.writing.flags(cmd)
	return cmd
}
