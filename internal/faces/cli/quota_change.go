package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// accessFlags say who may target a quota.
type accessFlags struct {
	users, groups, namespaces []string
}

func (f *accessFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.users, "user", nil, "a user who may target it; may be repeated")
	cmd.Flags().StringSliceVar(&f.groups, "group", nil, "a group that may target it; may be repeated")
	cmd.Flags().StringSliceVar(&f.namespaces, "for-namespace", nil, "a namespace that may target it; may be repeated")
}

func (f *accessFlags) message() *musterv1.Access {
	return &musterv1.Access{Users: f.users, Groups: f.groups, Namespaces: f.namespaces}
}

func (f *accessFlags) given() bool { return len(f.users)+len(f.groups)+len(f.namespaces) > 0 }

// quotaChange is what the commands that change quotas have in common.
type quotaChange struct {
	*app
	writing
	accessFlags
}

func newQuotaCreate(a *app) *cobra.Command {
	o := &quotaChange{app: a}
	cmd := &cobra.Command{
		Use:     "create QUOTA",
		Short:   "create a quota, and its parents where they do not exist",
		Example: "  muster quota create research/posttraining/oak --group post",
		Args:    needs(1, 1, "the path of a quota"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Quotas.CreateQuota(ctx, &musterv1.CreateQuotaRequest{Write: o.writing.message(), Path: args[0], Access: o.accessFlags.message()})
				return res.GetWritten(), err
			}, "quota "+args[0]+" created, "+listText(o.accessFlags.message()))
		},
	}
	o.writing.flags(cmd)
	o.accessFlags.flags(cmd)
	return cmd
}

func newQuotaDelete(a *app) *cobra.Command {
	o := &quotaChange{app: a}
	cmd := &cobra.Command{
		Use:     "delete QUOTA",
		Short:   "delete a quota that has no grants, no children and no work",
		Example: "  muster quota delete research/posttraining/oak",
		Args:    needs(1, 1, "the path of a quota"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Quotas.DeleteQuota(ctx, &musterv1.DeleteQuotaRequest{Write: o.writing.message(), Path: args[0]})
				return res.GetWritten(), err
			}, "quota "+args[0]+" deleted")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// grantOptions are those of `muster quota grant`.
type grantOptions struct {
	quotaChange
	confirming
	gang       int32
	until      moment
	overcommit bool
}

func newQuotaGrant(a *app) *cobra.Command {
	o := &grantOptions{quotaChange: quotaChange{app: a}, until: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use:   "grant QUOTA PARTITION GPUS|none",
		Short: "make a quota's grant in a partition this many GPUs, or give it more until a date",
		Long: `Grant makes a quota's grant in a partition this many GPUs. Whole nodes of it are backed; what
fills no whole node stays unbacked. It is refused if more would be assigned than is sustainable, unless --overcommit says so, with a --reason.

With --until the GPUs come beside the grant that lasts, and end by themselves at that moment. A quota has one such
part in a partition: granting again gives it another size or another end, and 0 GPUs end it now. A day begins at 00:00,
so --until friday does not include Friday. The quota's people are told a day before. What runs then beyond what is left
is unprotected, as after any cut.

A grant of 0 GPUs lets a quota borrow in the partition. With none instead of a number the quota has no grant there at
all: what stands there runs on as after any cut, and no more of its work starts there.`,
		Example: `  muster quota grant research/oak tiger/h200 352 --gang 256 --reason 'Q3 plan'
  muster quota grant research/oak tiger/h200 64 --until friday --reason 'demo week'
  muster quota grant research/oak tiger/h200 0 --until now --reason 'done early'
  muster quota grant research/oak tiger/h200 none`,
		Args: needs(3, 3, "a quota, a partition and a number of GPUs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := o.request(cmd, args)
			if err != nil {
				return err
			}
			return o.writeAsking(cmd.Context(), &o.confirming, &o.writing, func(ctx context.Context, w *musterv1.Write) (*musterv1.Written, error) {
				req.Write = w
				res, err := o.client().Quotas.SetGrant(ctx, req)
				return res.GetWritten(), err
			}, o.said(req))
		},
	}
	o.writing.flags(cmd)
	o.writing.proposes(cmd)
	o.confirming.flags(cmd)
	cmd.Flags().Int32Var(&o.gang, "gang", 0, "GPUs of the largest block that must fit in one island; 0 for none (it keeps the one it has)")
	cmd.Flags().Var(&o.until, "until", "give it these GPUs more until then: "+words.AheadExamples)
	cmd.Flags().BoolVar(&o.overcommit, "overcommit", false, "assign more than is sustainable; needs a --reason")
	return cmd
}

// said is what a grant led to.
func (o *grantOptions) said(req *musterv1.SetGrantRequest) string {
	switch {
	case req.GetNone():
		return fmt.Sprintf("%s has no grant in %s", req.GetQuota(), req.GetPartition())
	case req.GetUntil() == nil:
		return fmt.Sprintf("%s has a grant of %s in %s", req.GetQuota(), text.Count(req.GetGpus(), "GPU"), req.GetPartition())
	case req.GetGpus() == 0:
		return fmt.Sprintf("what %s had for a time in %s ends now; it has the grant that lasts", req.GetQuota(), req.GetPartition())
	}
	return fmt.Sprintf("%s has %s more in %s until %s (%s)", req.GetQuota(), text.Count(req.GetGpus(), "GPU"), req.GetPartition(), dayText(o.until.at.In(o.zone())), o.clock().until(o.until.at))
}

// dayText is a moment with its day of the week and its zone.
func dayText(at time.Time) string { return at.Format("Mon 2006-01-02 15:04 MST") }

// notRelative refuses a grant that is written as a change of itself: two people who each add
// the same GPUs would add them twice, and a repeated command, too.
func notRelative(gpus string) error {
	return usage("%.40s would change a grant, and a grant is set as a whole: write how many GPUs it shall have in all. muster quota show QUOTA says how many it has", gpus)
}

func (o *grantOptions) request(cmd *cobra.Command, args []string) (*musterv1.SetGrantRequest, error) {
	if strings.HasPrefix(args[2], "+") {
		return nil, notRelative(args[2])
	}
	if args[2] == "none" {
		return &musterv1.SetGrantRequest{Quota: args[0], Partition: args[1], None: true, Overcommit: o.overcommit, Until: o.until.message()}, nil
	}
	gpus, err := gpusOf(args[2])
	req := &musterv1.SetGrantRequest{
		Quota: args[0], Partition: args[1], Gpus: gpus, Overcommit: o.overcommit, Until: o.until.message(),
	}
	if cmd.Flags().Changed("gang") {
		if o.gang < 0 || o.gang > gpus && o.until.at.IsZero() {
			return nil, usage("--gang %s; write a number from 0 to the grant of %s", text.Count(o.gang, "GPU"), text.Group(gpus))
		}
		req.Gang = &o.gang
	}
	return req, err
}

// transferOptions are those of `muster quota transfer`.
type transferOptions struct {
	quotaChange
	confirming
}

func newQuotaTransfer(a *app) *cobra.Command {
	o := &transferOptions{quotaChange: quotaChange{app: a}}
	cmd := &cobra.Command{
		Use:     "transfer FROM TO PARTITION GPUS",
		Short:   "move GPUs from one quota's grant to another's, in one step",
		Example: "  muster quota transfer research/oak research/elm tiger/h200 64 --reason 'elm trains first'",
		Args:    needs(4, 4, "two quotas, a partition and a number of GPUs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			gpus, err := gpusOf(args[3])
			if err != nil {
				return err
			}
			return o.writeAsking(cmd.Context(), &o.confirming, &o.writing, func(ctx context.Context, w *musterv1.Write) (*musterv1.Written, error) {
				res, err := o.client().Quotas.Transfer(ctx, &musterv1.TransferRequest{
					Write: w, From: args[0], To: args[1], Partition: args[2], Gpus: gpus,
				})
				return res.GetWritten(), err
			}, fmt.Sprintf("%s of %s transferred from %s to %s", text.Count(gpus, "GPU"), args[2], args[0], args[1]))
		},
	}
	o.writing.flags(cmd)
	o.confirming.flags(cmd)
	return cmd
}

// quotaAccessOptions are those of `muster quota access`.
type quotaAccessOptions struct {
	quotaChange
	reading
	open bool
}

func newQuotaAccess(a *app) *cobra.Command {
	o := &quotaAccessOptions{quotaChange: quotaChange{app: a}}
	cmd := &cobra.Command{
		Use:   "access QUOTA",
		Short: "show or set who may target a quota",
		Long: `Access shows who may target a quota; with names it sets the whole list anew, and with --open it takes
the list away. Then everybody may target the quota; where people sign in, only those who may set the list.`,
		Example: "  muster quota access research/oak\n  muster quota access research/oak --user ada --group post\n  muster quota access research/oak --open",
		Args:    needs(1, 1, "the path of a quota"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.open && o.given():
				return usage("--open takes the list away, and names set one; give one of them")
			case !o.open && !o.given():
				return o.read(cmd.Context(), &o.reading, func(ctx context.Context) (answer, error) { return o.ask(ctx, args[0]) })
			}
			return o.set(cmd.Context(), args[0])
		},
	}
	o.writing.flags(cmd)
	o.reading.flags(a, cmd)
	o.accessFlags.flags(cmd)
	cmd.Flags().BoolVar(&o.open, "open", false, "take the list away: open to everyone, or closed where people sign in")
	return cmd
}

func (o *quotaAccessOptions) ask(ctx context.Context, path string) (answer, error) {
	res, err := o.client().Quotas.GetQuota(ctx, &musterv1.GetQuotaRequest{AsOf: o.asOf.message(), Path: path})
	if err != nil {
		return answer{}, err
	}
	access := res.GetQuota().GetAccess()
	rows := newTable("", column{head: "KIND"}, column{head: "NAME"})
	for _, list := range []struct {
		kind  string
		names []string
	}{{"user", access.GetUsers()}, {"group", access.GetGroups()}, {"namespace", access.GetNamespaces()}} {
		for _, name := range list.names {
			rows.add(list.kind, name)
		}
	}
	return answer{message: access, rows: rows, lead: func(p *page) { p.say("%s is %s", path, accessText(res.GetQuota())) }}, nil
}

func (o *quotaAccessOptions) set(ctx context.Context, path string) error {
	if err := o.nowOnly(); err != nil {
		return err
	}
	access := o.accessFlags.message()
	return o.write(ctx, func(ctx context.Context) (*musterv1.Written, error) {
		res, err := o.client().Quotas.SetAccess(ctx, &musterv1.SetAccessRequest{Write: o.writing.message(), Path: path, Access: access})
		return res.GetWritten(), err
	}, path+" is "+listText(access))
}
