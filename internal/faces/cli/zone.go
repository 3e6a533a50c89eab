package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/recurrence"
)

func newZone(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "nfz", Aliases: []string{"zone", "zones"}, Short: "no-fly zones, which keep updates away, and what they cost: add, list, show, end"}
	return group(cmd, newZoneAdd(a), newZoneList(a), newZoneShow(a), newZoneEnd(a))
}

// zoneAddOptions are those of `muster nfz add`.
type zoneAddOptions struct {
	*app
	writing
	want     musterv1.Zone
	from, to moment
}

func newZoneAdd(a *app) *cobra.Command {
	o := &zoneAddOptions{app: a, from: moment{env: a.Env, ahead: true}, to: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use: "add NAME", Short: "keep updates away from a cluster, a partition, a quota or a workload for a time",
		Example: `  muster nfz add launch --scope tiger --from 2026-12-01 --to 2026-12-15 --reason 'launch' --owner ada --link https://example.com/launch
  muster nfz add fridays --scope fleet --from 2026-12-04 --to 2026-12-05 --recur 'FREQ=WEEKLY;COUNT=10' --time-zone Europe/London \
      --reason 'demos' --owner ada --link https://example.com/demos`,
		Args: needs(1, 1, "the name of a zone"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.want.GetScope() == "" && o.want.GetWorkload() == "" {
				return usage("--scope: is missing; name what it covers, as in --scope tiger, or a workload with --workload")
			}
			if !cmd.Flags().Changed("from") {
				if err := o.from.Set("0h"); err != nil {
					return err
				}
			}
			if zone, err := recurrence.Location(o.want.TimeZone); err == nil && o.want.TimeZone != "" {
				o.from.in(zone)
				o.to.in(zone)
			}
			o.want.Name, o.want.From, o.want.To, o.want.Reason = args[0], o.from.message(), o.to.message(), o.reason
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Maintenance.AddZone(ctx, &musterv1.AddZoneRequest{Write: o.writing.message(), Zone: &o.want})
				return res.GetWritten(), err
			}, "zone "+args[0]+" added", "muster nfz list says what it costs.")
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.want.Scope, "scope", "", "fleet, cluster, cluster/gpu, cluster/gpu/island, or a quota's path")
	f.StringVar(&o.want.Workload, "workload", "", "or a workload, NAMESPACE/NAME, whose nodes it follows")
	f.Var(&o.from, "from", "when it begins (now)")
	f.Var(&o.to, "to", "when it ends")
	f.StringVar(&o.want.Recur, "recur", "", "a rule of RFC 5545, of which --from to --to is the first occurrence")
	f.StringVar(&o.want.TimeZone, "time-zone", "", "time zone of the rule and the days, as in Europe/London (none: UTC for the rule, your own for days)")
	f.StringSliceVar(&o.want.Blocks, "block", nil, "an impact that it keeps away; may be repeated; none: freeze, restart and replace")
	f.StringVar(&o.want.Owner, "owner", "", "whom to ask about it")
	f.StringVar(&o.want.Link, "link", "", "where it is written down")
	return cmd
}

func newZoneList(a *app) *cobra.Command {
	return asksMaintenance(a, &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list zones with what each costs", Example: "  muster nfz list",
	}, func(res *musterv1.GetMaintenanceResponse) (*table, string) {
		t := newTable("There are no zones.", column{head: "ZONE", name: true}, column{head: "SCOPE", cut: true}, column{head: "FROM"}, column{head: "TO"}, column{head: "IN FORCE"},
			column{head: "BLOCKED", cut: true}, column{head: "BEHIND", right: true}, column{head: "UNTESTED", right: true}, column{head: "CONFLICTS", cut: true},
			column{head: "DAYS IN QUARTER", spare: true},
			column{head: "OWNER", name: true, spare: true}, column{head: "REASON", wide: true}, column{head: "LINK", wide: true}, column{head: "ENDED", spare: true})
		for _, z := range res.GetZones() {
			t.add(z.GetName(), z.GetScope()+z.GetWorkload(), z.GetFrom(), z.GetTo(), yesNo(z.GetActive()), z.GetBlocked(), z.GetBehind(), z.GetUntested(), z.GetConflicts(),
				daysText(z), z.GetOwner(), z.GetReason(), z.GetLink(), z.GetEnded())
		}
		return t, unmetIf(len(res.GetZones()) == 0, "there is no zone")
	})
}

// daysText is how many zone days the quotas of a zone have in this quarter, of how many; "": it covers a place.
func daysText(z *musterv1.Zone) string {
	switch {
	case z.GetQuota() == "":
		return ""
	case z.GetQuotaDaysLimit() == 0:
		return strconv.Itoa(int(z.GetQuotaDays()))
	}
	return fmt.Sprintf("%d of %d", z.GetQuotaDays(), z.GetQuotaDaysLimit())
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func newZoneEnd(a *app) *cobra.Command {
	return changesNamed(a, &cobra.Command{Use: "end NAME", Short: "end a zone now", Example: "  muster nfz end launch"},
		"a zone", "ended", func(ctx context.Context, w *musterv1.Write, name string) (*musterv1.Written, error) {
			res, err := a.client().Maintenance.EndZone(ctx, &musterv1.EndZoneRequest{Write: w, Name: name})
			return res.GetWritten(), err
		})
}
