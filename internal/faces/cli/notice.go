package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newNotice(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "notice", Aliases: []string{"notices"}, Short: "maintenances at a fixed moment, the provider's and your own: add, cancel, list"}
	return group(cmd, newNoticeAdd(a), newNoticeCancel(a), newNoticeList(a))
}

// noticeAddOptions are those of `muster notice add`.
type noticeAddOptions struct {
	*app
	writing
	want   musterv1.Notice
	starts moment
	lasts  span
	freeze span
}

func newNoticeAdd(a *app) *cobra.Command {
	o := &noticeAddOptions{app: a, starts: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use: "add NAME", Short: "announce a maintenance of some nodes at a fixed moment",
		Example: "  muster notice add host-update --node tiger-h200-a-001..002 --starts 30h --lasts 2h --impact restart --provider",
		Args:    needs(1, 1, "the name of a maintenance"),
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, err := nodeNames(o.want.GetNodes())
			if err != nil {
				return err
			}
			o.want.Name, o.want.Nodes, o.want.Starts, o.want.Lasts = args[0], nodes, o.starts.message(), o.lasts.message()
			o.want.Freeze = o.freeze.message()
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Maintenance.AddNotice(ctx, &musterv1.AddNoticeRequest{Write: o.writing.message(), Notice: &o.want})
				return res.GetWritten(), err
			}, "maintenance "+args[0]+" announced")
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.want.Nodes, "node", nil, "a node that it takes, or a range of them; may be repeated")
	f.Var(&o.starts, "starts", "when it begins")
	f.Var(&o.lasts, "lasts", "how long it lasts")
	f.StringVar(&o.want.Impact, "impact", "restart", "none, freeze, restart or replace")
	f.Var(&o.freeze, "freeze", "of impact freeze: how long a node pauses at most; work that bears so long a freeze stays")
	f.BoolVar(&o.want.Provider, "provider", false, "the provider announces it: it begins whatever zones and promises say")
	return cmd
}

func newNoticeCancel(a *app) *cobra.Command {
	return changesNamed(a, &cobra.Command{
		Use: "cancel NAME", Short: "take an announced maintenance back; visits that have begun are finished", Example: "  muster notice cancel host-update",
	}, "a maintenance", "cancelled", func(ctx context.Context, w *musterv1.Write, name string) (*musterv1.Written, error) {
		res, err := a.client().Maintenance.CancelNotice(ctx, &musterv1.CancelNoticeRequest{Write: w, Name: name})
		if err != nil {
			return nil, err
		}
		written := res.GetWritten()
		if note := a.stillVisited(ctx, name); note != "" {
			written.Notes = append(written.Notes, note)
		}
		return written, nil
	})
}

// stillVisited says which visits of a cancelled maintenance go on; "": none, or they cannot be had.
func (a *app) stillVisited(ctx context.Context, name string) string {
	res, err := a.client().Maintenance.GetMaintenance(ctx, &musterv1.GetMaintenanceRequest{})
	if err != nil {
		return ""
	}
	var on []string
	for _, v := range res.GetVisits() {
		if v.GetOf() == name {
			on = append(on, v.GetNode())
		}
	}
	if len(on) == 0 {
		return ""
	}
	folded := strings.Join(text.Folded(on), " ")
	return fmt.Sprintf("%s under way: a visit that has begun is finished, and muster maintenance done %s ends it sooner.", text.Counted(len(on), "visit is", "visits are"), folded)
}

func newNoticeList(a *app) *cobra.Command {
	return asksMaintenance(a, &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list announced maintenances", Example: "  muster notice list",
	}, func(res *musterv1.GetMaintenanceResponse) (*table, string) {
		t := newTable("No maintenance is announced.", column{head: "MAINTENANCE", name: true}, column{head: "STATE"}, column{head: "STARTS"}, column{head: "LASTS"}, column{head: "IMPACT"},
			column{head: "NODES", cut: true}, column{head: "BLOCKED BY", cut: true, spare: true}, column{head: "CONFLICTS", cut: true, spare: true}, column{head: "BY", cut: true})
		for _, n := range res.GetNotices() {
			t.add(n.GetName(), n.GetState(), n.GetStarts(), n.GetLasts().AsDuration(), n.GetImpact(), n.GetNodes(), n.GetBlockedBy(), n.GetConflicts(), n.GetBy())
		}
		return t, unmetIf(len(res.GetNotices()) == 0, "no maintenance is announced")
	})
}
