package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// holdOptions are those of `muster quota hold`.
type holdOptions struct {
	*app
	writing
	reading
	until   moment
	release uint64
}

func newQuotaHold(a *app) *cobra.Command {
	o := &holdOptions{app: a, until: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use:   "hold [QUOTA PARTITION GPUS --until MOMENT | --release ID]",
		Short: "earmark free capacity for a quota until a moment, release a hold, or list holds",
		Example: `  muster quota hold research/oak tiger/h200 64 --until 7d --reason 'arrives next week'
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
	cmd.Flags().Var(&o.until, "until", "when it ends: 2026-12-01, 2026-11-21T12:00:00Z, or 7d from now")
	cmd.Flags().Uint64Var(&o.release, "release", 0, "give this hold back")
	return cmd
}

func (o *holdOptions) run(cmd *cobra.Command, args []string) error {
	released := cmd.Flags().Changed("release")
	switch {
	case released && len(args) > 0:
		return usage("--release gives a hold back, and a quota places one; give one of them")
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
		})
		return res.GetWritten(), err
	}, fmt.Sprintf("%d GPUs of %s held for %s until %s", gpus, args[1], args[0], clock{o.Now(), o.zone()}.moment(o.until.at)))
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
		column{head: "ID", right: true}, column{head: "QUOTA", cut: true, path: true}, column{head: "PARTITION", cut: true, path: true},
		column{head: "GPUS", right: true}, column{head: "UNTIL"})
	holds := []any{}
	for _, q := range res.GetQuotas() {
		for _, h := range q.GetHolds() {
			t.add(h.GetId(), h.GetQuota(), h.GetPartition(), h.GetGpus(), h.GetUntil())
			holds = append(holds, plain(h))
		}
	}
	return answer{value: object{{"seen", plain(res.GetSeen())}, {"holds", holds}}, table: t}, nil
}
