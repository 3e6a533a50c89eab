package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// historyOptions are those of `muster quota history`.
type historyOptions struct {
	*app
	reading
	quota, partition string
	limit            int32
}

func newQuotaHistory(a *app) *cobra.Command {
	o := &historyOptions{app: a}
	cmd := &cobra.Command{
		Use:     "history [QUOTA]",
		Short:   "who changed a quota, when, why, and from what to what",
		Example: "  muster quota history research\n  muster quota history --as-of 30d",
		Args:    needs(0, 1, "at most one quota"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.quota = first(args)
			if o.limit < 1 || o.limit > 100000 {
				return usage("--limit %d; write a whole number from 1 to 100000", o.limit)
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().StringVar(&o.partition, "partition", "", "only changes in this partition")
	cmd.Flags().Int32Var(&o.limit, "limit", 100, "the last so many")
	return cmd
}

func (o *historyOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Quotas.History(ctx, &musterv1.HistoryRequest{AsOf: o.asOf.message(), Quota: o.quota, Partition: o.partition, Limit: o.limit})
	if err != nil {
		return answer{}, err
	}
	t := newTable("Nothing has changed there.",
		column{head: "VERSION", right: true, wide: true}, column{head: "WHEN"}, column{head: "BY", name: true},
		column{head: "QUOTA", folds: true}, column{head: "PARTITION", spare: true},
		column{head: "WAS", right: true}, column{head: "GPUS", right: true}, column{head: "KIND", wide: true},
		column{head: "WHAT", folds: true}, column{head: "REASON", folds: true, spare: true})
	for _, c := range res.GetChanges() {
		t.add(c.GetSeq(), c.GetAt(), c.GetActor(), c.GetQuota(), c.GetPartition(), c.GetWas(), c.GetGpus(), c.GetKind(), c.GetText(), c.GetReason())
	}
	note := ""
	if unread := res.GetUnread(); unread > 0 {
		note = fmt.Sprintf("The server has %s of its log still to read; later changes are missing. Ask again in a while.", text.Count(int64(unread), "version"))
	}
	return answer{message: res, table: t, note: note}, nil
}
