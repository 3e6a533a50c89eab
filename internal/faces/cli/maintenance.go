package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newMaintenance(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "maintenance", Short: "planned work on nodes: list, behind, calendar, ahead, agree, done, failed"}
	return group(cmd, newMaintenanceList(a), newBehind(a), newCalendar(a), newPlanned(a), newAgree(a), newVisitEnd(a, "done", "passed"), newVisitEnd(a, "failed", "failed"))
}

// maintenanceOptions are those of every question about planned work.
type maintenanceOptions struct {
	*app
	reading
	show func(*musterv1.GetMaintenanceResponse) (*table, string)
}

// asksMaintenance makes a command that shows one part of what planned work is.
func asksMaintenance(a *app, cmd *cobra.Command, show func(*musterv1.GetMaintenanceResponse) (t *table, unmet string)) *cobra.Command {
	o := &maintenanceOptions{app: a, show: show}
	if cmd.Args == nil {
		cmd.Args = needs(0, 0, "")
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return o.read(cmd.Context(), &o.reading, o.ask) }
	o.reading.flags(a, cmd)
	return cmd
}

func (o *maintenanceOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Maintenance.GetMaintenance(ctx, &musterv1.GetMaintenanceRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t, unmet := o.show(res)
	return answer{message: res, table: t, unmet: unmet}, nil
}

// maintenanceListOptions are those of `muster maintenance list`.
type maintenanceListOptions struct {
	*app
	reading
}

func newMaintenanceList(a *app) *cobra.Command {
	o := &maintenanceListOptions{app: a}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "nodes whose maintenance is under way, those that were drained among them", Example: "  muster maintenance list",
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.read(cmd.Context(), &o.reading, o.ask) },
	}
	o.reading.flags(a, cmd)
	return cmd
}

// ask lists visits, and the nodes that a person took out of service without one.
func (o *maintenanceListOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Maintenance.GetMaintenance(ctx, &musterv1.GetMaintenanceRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	nodes, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{AsOf: o.asOf.message(), States: []string{"maintenance"}})
	if err != nil {
		return answer{}, err
	}
	t := newTable("No node is under maintenance.", column{head: "NODE", name: true}, column{head: "PARTITION", name: true}, column{head: "VISIT"},
		column{head: "OF", cut: true}, column{head: "IMPACT"}, column{head: "UPDATES", cut: true, spare: true}, column{head: "BEGAN"}, column{head: "SHOULD END"}, column{head: "OVERDUE", spare: true})
	visited, note := map[string]bool{}, ""
	for _, v := range res.GetVisits() {
		visited[v.GetNode()] = true
		late := overdue(v, res.GetSeen().GetAt().AsTime())
		t.add(v.GetNode(), v.GetPartition(), v.GetState(), v.GetOf(), v.GetImpact(), v.GetUpdates(), v.GetBegan(), v.GetEnds(), late)
		if late != "" && v.GetState() == "working" {
			note = "A visit that is overdue waits for word that its work is done: muster maintenance done NODE"
		}
	}
	drained := 0
	for _, n := range nodes.GetNodes() {
		if !visited[n.GetName()] {
			drained++
			t.add(n.GetName(), n.GetPartition(), "drained", orElse(n.GetSignal(), "a person"), "", []string{}, n.GetSince(), "", "")
		}
	}
	return answer{message: res, table: t, note: note, unmet: unmetIf(len(res.GetVisits())+drained == 0, "no node is under maintenance")}, nil
}

// overdue is by how long a visit should have ended; "" where it still has time.
func overdue(v *musterv1.Visit, now time.Time) string {
	if late := now.Sub(v.GetEnds().AsTime()); v.GetEnds() != nil && late > 0 {
		return "by " + short(late)
	}
	return ""
}

func unmetIf(none bool, says string) string {
	if none {
		return says
	}
	return ""
}

func newBehind(a *app) *cobra.Command {
	return asksMaintenance(a, &cobra.Command{
		Use: "behind", Short: "which configurations the nodes of each partition have, and what they lack", Example: "  muster maintenance behind",
	}, func(res *musterv1.GetMaintenanceResponse) (*table, string) {
		t := newTable("There are no nodes.", column{head: "PARTITION", name: true}, column{head: "CONFIGURATION"}, column{head: "NODES", right: true},
			column{head: "LACKS", cut: true}, column{head: "BEHIND SINCE", spare: true}, column{head: "FLAGS", spare: true}, column{head: "RUNS", cut: true})
		behind := false
		for _, c := range res.GetConfigurations() {
			behind = behind || len(c.GetLacks()) > 0
			t.add(c.GetPartition(), c.GetConfiguration(), c.GetNodes(), c.GetLacks(), c.GetSince(), flagText(c), orElse(c.GetRuns(), "nothing is known"))
		}
		return t, unmetIf(!behind, "no node is behind")
	})
}

// flagText says how many nodes the provider brought to a configuration that no canary has proven.
func flagText(c *musterv1.Configuration) string {
	if n := c.GetUntestedByProvider(); n > 0 {
		return fmt.Sprintf("UntestedByProvider: %d", n)
	}
	return ""
}

func newCalendar(a *app) *cobra.Command {
	return asksMaintenance(a, &cobra.Command{
		Use: "calendar", Short: "what is ahead: zones, announced maintenances and deadlines, in order of time", Example: "  muster maintenance calendar",
	}, func(res *musterv1.GetMaintenanceResponse) (*table, string) {
		t := newTable("Nothing is planned.", column{head: "FROM"}, column{head: "TO", spare: true}, column{head: "WHAT"}, column{head: "NAME", name: true},
			column{head: "WHERE", cut: true}, column{head: "STATE"}, column{head: "CONFLICTS", cut: true, spare: true})
		for _, row := range dated(res) {
			t.add(row...)
		}
		return t, unmetIf(len(t.rows) == 0, "nothing is planned")
	})
}

// dated lists what has a moment, in order of time.
func dated(res *musterv1.GetMaintenanceResponse) [][]any {
	type entry struct {
		at  int64
		row []any
	}
	var list []entry
	for _, z := range res.GetZones() {
		if z.GetEnded() == nil {
			state := "ahead"
			if z.GetActive() {
				state = "in force"
			}
			list = append(list, entry{z.GetFrom().GetSeconds(), []any{z.GetFrom(), z.GetTo(), "no-fly zone", z.GetName(), z.GetScope() + z.GetWorkload(), state, z.GetConflicts()}})
		}
	}
	for _, n := range res.GetNotices() {
		list = append(list, entry{n.GetStarts().GetSeconds(), []any{n.GetStarts(), "", "maintenance", n.GetName(), n.GetNodes(), n.GetState(), n.GetConflicts()}})
	}
	for _, u := range res.GetUpdates() {
		if u.GetDeadline() != nil && u.GetPending() > 0 {
			list = append(list, entry{u.GetDeadline().GetSeconds(), []any{u.GetDeadline(), "", "deadline", u.GetName(), text.Count(u.GetPending(), "node"), u.GetVerdict(), ""}})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return int(min(1, max(-1, a.at-b.at))) })
	var rows [][]any
	for _, e := range list {
		rows = append(rows, e.row)
	}
	return rows
}

// agreeOptions are those of `muster maintenance agree`.
type agreeOptions struct {
	*app
	writing
	naming
	at moment
}

func newAgree(a *app) *cobra.Command {
	o := &agreeOptions{app: a, at: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use: "agree WORKLOAD", Short: "let your workload be stopped once, at a moment, for all visits of its nodes",
		Example: "  muster maintenance agree train --at 2h",
		Args:    needs(1, 1, "the name of a workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.at.at.IsZero() {
				return usage("say when: --at 2h, or --at 2026-11-21T12:00:00Z")
			}
			namespace, name := o.home(o.app), args[0]
			if before, after, ok := strings.Cut(name, "/"); ok {
				namespace, name = before, after
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Maintenance.AgreeToStop(ctx, &musterv1.AgreeToStopRequest{Write: o.writing.message(), Namespace: namespace, Name: name, At: o.at.message()})
				return res.GetWritten(), err
			}, agreedTo(namespace+"/"+name, o.at, o.clock()))
		},
	}
	o.writing.flags(cmd)
	o.naming.flags(cmd)
	cmd.Flags().Var(&o.at, "at", "the moment, or how long from now")
	return cmd
}

// agreedTo says which moment was agreed to, as it was read, and what happens then.
func agreedTo(work string, at moment, c clock) string {
	return fmt.Sprintf("%s stops at %s (%s), if a visit of its nodes is due then", work, c.moment(at.at), c.until(at.at))
}

// visitEndOptions are those of `muster maintenance done` and `failed`.
type visitEndOptions struct {
	*app
	writing
	outcome string
}

func newVisitEnd(a *app, verb, outcome string) *cobra.Command {
	o := &visitEndOptions{app: a, outcome: outcome}
	cmd := &cobra.Command{
		Use: verb + " NODE...", Short: "say that the work on nodes, and their validation, " + outcome,
		Example: "  muster maintenance " + verb + " tiger-h200-a-001..004 --reason 'by hand'",
		Args:    needs(1, -1, "the names of nodes, or ranges of them as in tiger-h200-i1-001..008"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := nodeNames(args)
			if err != nil {
				return err
			}
			said := "the visit of " + words.Few(text.Folded(names), 4) + " " + outcome
			if len(names) > 1 {
				said = "the visits of " + words.Few(text.Folded(names), 4) + " " + outcome
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) { return o.report(ctx, names) }, said)
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// report reports the visit of each node. Of several each is tried first, so that one that is refused leaves the others as
// they are; not with a key, by which what was done already is done again.
func (o *visitEndOptions) report(ctx context.Context, names []string) (*musterv1.Written, error) {
	all := &musterv1.Written{}
	if len(names) > 1 && (o.key == "" || o.dryRun) {
		if err := o.each(ctx, names, true, all); err != nil || o.dryRun {
			return all, err
		}
		all = &musterv1.Written{}
	}
	err := o.each(ctx, names, o.dryRun, all)
	return all, err
}

// each asks for one node after another, and adds up what came of it. The first change moves the version on, so that it
// alone is expected; a key is one for each node.
func (o *visitEndOptions) each(ctx context.Context, names []string, dryRun bool, all *musterv1.Written) error {
	for i, name := range names {
		w := o.writing.message()
		w.DryRun = dryRun
		if i > 0 && !dryRun {
			w.ExpectVersion = 0
		}
		if w.IdempotencyKey != "" && len(names) > 1 {
			w.IdempotencyKey += " " + name
		}
		res, err := o.client().Maintenance.ReportVisit(ctx, &musterv1.ReportVisitRequest{Write: w, Node: name, Outcome: o.outcome, Why: o.reason})
		if err != nil {
			return err
		}
		one := res.GetWritten()
		all.Version, all.At, all.DryRun, all.Repeat = one.GetVersion(), one.GetAt(), one.GetDryRun(), one.GetRepeat()
		all.Events, all.Notes = append(all.Events, one.GetEvents()...), append(all.Notes, one.GetNotes()...)
	}
	return nil
}
