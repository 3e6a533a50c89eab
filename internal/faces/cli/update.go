package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newUpdate(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "update", Aliases: []string{"updates"}, Short: "updates of nodes: add, list, withdraw"}
	return group(cmd, newUpdateAdd(a), newUpdateList(a), newUpdateWithdraw(a))
}

// updateAddOptions are those of `muster update add`.
type updateAddOptions struct {
	*app
	writing
	want                musterv1.NodeUpdate
	lasts, freeze       span
	notBefore, deadline moment
}

func newUpdateAdd(a *app) *cobra.Command {
	o := &updateAddOptions{app: a, notBefore: moment{env: a.Env, ahead: true}, deadline: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use: "add NAME COMPONENT VERSION", Short: "make an update known; a rollout brings it to nodes",
		Example: "  muster update add driver-580 gpu-driver 580 --gpu h200 --impact restart --lasts 1h",
		Args:    needs(3, 3, "a name, a component and a version"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.want.Name, o.want.Component, o.want.Version = args[0], args[1], args[2]
			o.want.Lasts, o.want.Freeze = o.lasts.message(), o.freeze.message()
			o.want.NotBefore, o.want.Deadline = o.notBefore.message(), o.deadline.message()
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Maintenance.AddUpdate(ctx, &musterv1.AddUpdateRequest{Write: o.writing.message(), Update: &o.want})
				return res.GetWritten(), err
			}, "update "+args[0]+" is known", "muster rollout start brings it to nodes.")
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.want.Gpus, "gpu", nil, "a GPU model that it fits; may be repeated; none: all")
	f.StringVar(&o.want.Impact, "impact", "restart", "none, freeze, restart or replace")
	f.Var(&o.lasts, "lasts", "how long it takes on one node")
	f.Var(&o.freeze, "freeze", "how long the node pauses at most")
	f.Var(&o.notBefore, "not-before", "no visit begins before")
	f.Var(&o.deadline, "deadline", "by then it happens, whether people like it or not")
	f.StringVar(&o.want.Executor, "executor", "people", "who carries it out: people, job, provider or simulated")
	return cmd
}

func newUpdateList(a *app) *cobra.Command {
	return asksMaintenance(a, &cobra.Command{
		Use: "list", Aliases: []string{"ls", "show"}, Short: "list updates, and how far each has come", Example: "  muster update list",
	}, func(res *musterv1.GetMaintenanceResponse) (*table, string) {
		t := newTable("There are no updates.", column{head: "UPDATE", name: true}, column{head: "COMPONENT", cut: true}, column{head: "VERSION", cut: true},
			column{head: "IMPACT"}, column{head: "PENDING", right: true}, column{head: "VERDICT"}, column{head: "DEADLINE", spare: true},
			column{head: "ADDED"}, column{head: "WITHDRAWN", spare: true}, column{head: "LASTS", wide: true}, column{head: "MEASURED P90", wide: true, spare: true})
		for _, u := range res.GetUpdates() {
			t.add(u.GetName(), u.GetComponent(), u.GetVersion(), u.GetCounts(), u.GetPending(), u.GetVerdict(), u.GetDeadline(), u.GetAdded(), u.GetWithdrawn(), short(u.GetLasts().AsDuration()), measuredText(u))
		}
		return t, unmetIf(len(res.GetUpdates()) == 0, "there is no update")
	})
}

// measuredText is how long nine of ten visits took at most, by GPU model.
func measuredText(u *musterv1.NodeUpdate) string {
	var parts []string
	for _, l := range u.GetMeasured() {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", l.GetGpu(), short(l.GetP90().AsDuration()), text.Count(l.GetVisits(), "visit")))
	}
	return strings.Join(parts, ", ")
}

// namedOptions are those of a change that names one thing.
type namedOptions struct {
	*app
	writing
}

// changesNamed makes a command that changes the thing of a name.
func changesNamed(a *app, cmd *cobra.Command, what, said string, do func(ctx context.Context, w *musterv1.Write, name string) (*musterv1.Written, error)) *cobra.Command {
	o := &namedOptions{app: a}
	cmd.Args = needs(1, 1, "the name of "+what)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
			return do(ctx, o.writing.message(), args[0])
		}, args[0]+" is "+said)
	}
	o.writing.flags(cmd)
	return cmd
}

func newUpdateWithdraw(a *app) *cobra.Command {
	return changesNamed(a, &cobra.Command{Use: "withdraw NAME", Short: "take an update back; its rollouts are abandoned between visits", Example: "  muster update withdraw driver-580"},
		"an update", "withdrawn", func(ctx context.Context, w *musterv1.Write, name string) (*musterv1.Written, error) {
			res, err := a.client().Maintenance.WithdrawUpdate(ctx, &musterv1.WithdrawUpdateRequest{Write: w, Name: name})
			return res.GetWritten(), err
		})
}
