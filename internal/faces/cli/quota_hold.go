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

// holdOptions are those of `muster quota hold`.
type holdOptions struct {
	*app
	writing
	reading
	until   moment
	holder  holder
	release uint64
}

// holder is whom part of a quota is held for: user:NAME or namespace:NAME.
type holder struct{ user, namespace string }

func (h *holder) Set(text string) error {
	kind, name, _ := strings.Cut(text, ":")
	switch {
	case kind == "user" && strings.TrimSpace(name) != "":
		*h = holder{user: name}
	case kind == "namespace" && strings.TrimSpace(name) != "":
		*h = holder{namespace: name}
	default:
		return fmt.Errorf("a hold cannot be for %.40q; write user:NAME or namespace:NAME", text)
	}
	return nil
}

func (h *holder) String() string {
	switch {
	case h.user != "":
		return "user:" + h.user
	case h.namespace != "":
		return "namespace:" + h.namespace
	}
	return ""
}

func (h *holder) Type() string { return "user:NAME|namespace:NAME" }

func newQuotaHold(a *app) *cobra.Command {
	o := &holdOptions{app: a, until: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use:   "hold [QUOTA PARTITION GPUS --until MOMENT [--for WHOM] | --release ID]",
		Short: "earmark free capacity for a quota, or part of a quota, until a moment; release or list holds",
		Long: `Hold earmarks free capacity of a partition for a quota until a moment. With --for it earmarks part of
the quota's own backing for a user or a namespace. What others of the quota submit then waits (Held)
rather than take it. Siblings may borrow it until its holder needs it. No running work is evicted.`,
		Example: `  muster quota hold research/oak tiger/h200 64 --until 7d --reason 'arrives next week'
  muster quota hold research/oak tiger/h200 16 --until 2d --for user:ada
  muster quota hold                # lists the holds there are
  muster quota hold --release 3`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 3 {
				return usage("%s needs a quota, a partition and a number of GPUs; or none of them, to list holds", cmd.CommandPath())
			}
			return nil
		},
		RunE: o.run,
	}
	o.writing.flags(cmd)
	o.reading.flags(a, cmd)
	cmd.Flags().Var(&o.until, "until", "when it ends: "+words.AheadExamples)
	cmd.Flags().Var(&o.holder, "for", "hold part of the quota itself for user:NAME or namespace:NAME")
	cmd.Flags().Uint64Var(&o.release, "release", 0, "give this hold back")
	return cmd
}

func (o *holdOptions) run(cmd *cobra.Command, args []string) error {
	released := cmd.Flags().Changed("release")
	switch {
	case o.holder.String() != "" && len(args) == 0:
		return usage("--for says whom a hold is for; place one with a quota, a partition and a number of GPUs")
	case released && len(args) > 0:
		return usage("--release gives a hold back, and a quota places one; give one of them")
	case (released || len(args) > 0) && o.nowOnly() != nil:
		return o.nowOnly()
	case released:
		return o.giveBack(cmd.Context())
	case len(args) == 0:
		return o.read(cmd.Context(), &o.reading, o.list)
	case o.until.at.IsZero():
		return usage("a hold needs its end: --until 7d, or --until 2026-12-01")
	}
	return o.place(cmd.Context(), args)
}

func (o *holdOptions) place(ctx context.Context, args []string) error {
	gpus, err := gpusOf(args[2])
	if err != nil {
		return err
	}
	return o.write(ctx, func(ctx context.Context) (*musterv1.Written, error) {
		res, err := o.client().Quotas.PlaceHold(ctx, &musterv1.PlaceHoldRequest{
			Write: o.writing.message(), Quota: args[0], Partition: args[1], Gpus: gpus, Until: o.until.message(),
			User: o.holder.user, Namespace: o.holder.namespace,
		})
		return res.GetWritten(), err
	}, fmt.Sprintf("%s of %s held for %s until %s", text.Count(gpus, "GPU"), args[1], o.heldFor(args[0]), o.clock().moment(o.until.at)))
}

// heldFor says whom a hold is for, and in which quota.
func (o *holdOptions) heldFor(quota string) string {
	if whom := o.holder.String(); whom != "" {
		return whom + " in " + quota
	}
	return quota
}

func (o *holdOptions) giveBack(ctx context.Context) error {
	return o.write(ctx, func(ctx context.Context) (*musterv1.Written, error) {
		res, err := o.client().Quotas.ReleaseHold(ctx, &musterv1.ReleaseHoldRequest{Write: o.writing.message(), Id: o.release})
		return res.GetWritten(), err
	}, fmt.Sprintf("hold %d released", o.release))
}

func (o *holdOptions) list(ctx context.Context) (answer, error) {
	res, err := o.client().Quotas.ListQuotas(ctx, &musterv1.ListQuotasRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable("There are no holds.",
		column{head: "ID", right: true}, column{head: "QUOTA", name: true}, column{head: "PARTITION", name: true},
		column{head: "GPUS", right: true}, column{head: "FOR", cut: true}, column{head: "USED", right: true}, column{head: "UNTIL"})
	holds := []any{}
	for _, q := range res.GetQuotas() {
		for _, h := range q.GetHolds() {
			t.add(h.GetId(), h.GetQuota(), h.GetPartition(), h.GetGpus(), holderOf(h), h.GetUsed(), h.GetUntil())
			holds = append(holds, plain(h))
		}
	}
	return answer{value: object{{"seen", plain(res.GetSeen())}, {"holds", holds}}, table: t}, nil
}

// inside says whether a hold is one inside its quota.
func inside(h *musterv1.Hold) bool { return h.GetUser() != "" || h.GetNamespace() != "" }

// holdText says a hold in a few words.
func holdText(h *musterv1.Hold) string {
	text := fmt.Sprintf("hold %d: %s of %s", h.GetId(), text.Count(h.GetGpus(), "GPU"), h.GetPartition())
	if inside(h) {
		text += fmt.Sprintf(" for %s (%d used)", holderOf(h), h.GetUsed())
	}
	return text
}

// holderOf is whom a hold is for: a user or a namespace inside the quota, else the quota.
func holderOf(h *musterv1.Hold) string {
	if h.GetWorkload() != "" {
		return "workload " + h.GetNamespace() + "/" + h.GetWorkload()
	}
	inside := holder{user: h.GetUser(), namespace: h.GetNamespace()}
	if whom := inside.String(); whom != "" {
		return whom
	}
	return "the quota"
}
