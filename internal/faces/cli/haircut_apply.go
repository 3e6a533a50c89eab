package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// haircutDoOptions are those of the verbs that change a saved plan.
type haircutDoOptions struct {
	*app
	writing
	confirming
	overcommit bool
}

func newHaircutReview(a *app) *cobra.Command {
	o := &haircutDoOptions{app: a}
	cmd := &cobra.Command{
		Use:     "review NAME",
		Short:   "say that you have looked at a plan and agree",
		Long:    "Review notes that you agree with a plan. Where the policy asks for a second person (secondPerson),\na plan can only be applied once a person other than its author has reviewed it.",
		Example: "  muster haircut review autumn --reason 'checked with the teams'",
		Args:    needs(1, 1, "the name of a saved haircut"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Haircuts.ReviewHaircut(ctx, &musterv1.ReviewHaircutRequest{Write: o.writing.message(), Name: args[0]})
				return res.GetWritten(), err
			}, "haircut "+args[0]+" reviewed")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

func newHaircutApply(a *app) *cobra.Command {
	o := &haircutDoOptions{app: a}
	var class string
	var early bool
	cmd := &cobra.Command{
		Use:   "apply NAME [CLUSTER]",
		Short: "put the next wave of a plan into force, or that of one cluster",
		Long: `Apply puts one wave into force, in one step: the first that never was, or with a cluster the next one
there. Waves go by class (what fills no whole node, above usage, held by idle jobs, the rest) over all
clusters, and inside a class by cluster. A wave that was undone is applied again only by its cluster's
name.

A wave is refused in these cases. It is in force already. The grants, or what is sustainable, have
changed since the plan was made. The cluster is not ready (muster cluster ready). A wave before it broke
a promise, or makes guaranteed work wait that its quota's grant still holds.

Jobs come and go while people review. Where the wave would by now make more running work of a quota
unprotected than its people were told, it names that work and needs a --reason; the people are told.

Where people were told of a day (muster haircut plan --effective), a wave before it needs --early and a --reason.`,
		Example: "  muster haircut apply autumn --reason 'as mailed on Monday'\n  muster haircut apply autumn tiger --dry-run",
		Args:    needs(1, 2, "the name of a saved haircut, and maybe a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			apply := func(ctx context.Context, w *musterv1.Write) (*musterv1.ApplyHaircutResponse, error) {
				return o.client().Haircuts.ApplyHaircut(ctx, &musterv1.ApplyHaircutRequest{Write: w, Name: args[0], Cluster: second(args), Class: class, Early: early})
			}
			if err := o.confirm(cmd.Context(), &o.confirming, &o.writing, func(ctx context.Context, w *musterv1.Write) (*musterv1.Written, error) {
				res, err := apply(ctx, w)
				return res.GetWritten(), err
			}); err != nil {
				return err
			}
			return o.wave(cmd.Context(), func(ctx context.Context) (*musterv1.Written, string, error) {
				res, err := apply(ctx, o.writing.message())
				return res.GetWritten(), "the wave of haircut " + args[0] + " over " + res.GetCluster() + " (" + words.CutClass(res.GetClass()) + ") is in force", err
			}, "Look at it: muster haircut show "+args[0]+"; take it back: muster haircut undo "+args[0])
		},
	}
	o.writing.flags(cmd)
	o.writing.proposes(cmd)
	o.confirming.flags(cmd)
	cmd.Flags().BoolVar(&early, "early", false, "before the day that people were told, with a --reason")
	cmd.Flags().StringVar(&class, "class", "", "only the wave of this class: records (what fills no whole node), unscheduled (assigned above usage), idle (held by idle jobs) or rest")
	_ = cmd.RegisterFlagCompletionFunc("class", cobra.FixedCompletions([]string{"records", "unscheduled", "idle", "rest"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func newHaircutUndo(a *app) *cobra.Command {
	o := &haircutDoOptions{app: a}
	var all bool
	cmd := &cobra.Command{
		Use:   "undo NAME [CLUSTER]",
		Short: "give back what the last wave cut, or that of one cluster, or --all",
		Long: `Undo gives the grants back that a wave cut, as they were.

It is refused where that room has been granted or held since, so that more would be assigned than before
the wave and than can be sustained: lower another grant, or --overcommit with a --reason.`,
		Example: "  muster haircut undo autumn --reason 'a promise broke'\n  muster haircut undo autumn --all --reason 'the nodes are back'",
		Args:    needs(1, 2, "the name of a saved haircut, and maybe a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				return o.undoAll(cmd.Context(), args[0], second(args))
			}
			return o.undo(cmd.Context(), args[0], second(args))
		},
	}
	o.writing.flags(cmd)
	o.writing.proposes(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every wave that is in force, the last first")
	cmd.Flags().BoolVar(&o.overcommit, "overcommit", false, "though the room was granted or held since; needs a --reason")
	return cmd
}

// undo takes one wave back: the last, or that of a cluster.
func (o *haircutDoOptions) undo(ctx context.Context, name, cluster string) error {
	return o.wave(ctx, func(ctx context.Context) (*musterv1.Written, string, error) {
		res, err := o.client().Haircuts.UndoHaircut(ctx, &musterv1.UndoHaircutRequest{Write: o.writing.message(), Name: name, Cluster: cluster, Overcommit: o.overcommit})
		return res.GetWritten(), "the wave of haircut " + name + " over " + res.GetCluster() + " (" + words.CutClass(res.GetClass()) + ") is undone: its grants are as they were", err
	})
}

// undoAll takes back every wave that is in force, one after the other. A key or a version belongs to
// one command, and what a second undo would do cannot be tried before the first.
func (o *haircutDoOptions) undoAll(ctx context.Context, name, cluster string) error {
	if o.dryRun || o.key != "" || o.expect != 0 {
		return usage("--all undoes several waves; --dry-run, --idempotency-key and --expect-version are for one")
	}
	in, end := o.within(ctx)
	res, err := o.client().Haircuts.GetHaircut(in, &musterv1.GetHaircutRequest{Name: name})
	end()
	if err != nil {
		return err
	}
	for left := max(1, inForce(res.GetHaircut(), cluster)); left > 0; left-- { // with none the server says why
		if err := o.undo(ctx, name, cluster); err != nil {
			return err
		}
	}
	return nil
}

// inForce counts the waves of a haircut that are in force, in a cluster or everywhere.
func inForce(h *musterv1.Haircut, cluster string) (waves int) {
	for _, w := range h.GetWaves() {
		if waveInForce(w) && (cluster == "" || w.GetCluster() == cluster) {
			waves++
		}
	}
	return waves
}

func newHaircutDelete(a *app) *cobra.Command {
	o := &haircutDoOptions{app: a}
	cmd := &cobra.Command{
		Use: "delete NAME", Aliases: []string{"discard"}, Short: "forget a saved plan of which no wave is in force",
		Example: "  muster haircut delete autumn --reason 'planned again'",
		Args:    needs(1, 1, "the name of a saved haircut"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				was, _ := o.client().Haircuts.GetHaircut(ctx, &musterv1.GetHaircutRequest{Name: args[0]}) // without it there is only less to say
				res, err := o.client().Haircuts.DeleteHaircut(ctx, &musterv1.DeleteHaircutRequest{Write: o.writing.message(), Name: args[0]})
				if who := wereTold(was.GetHaircut()); err == nil && len(who) > 0 {
					w := res.GetWritten()
					w.Notes = append(w.Notes, "Told of it before, and not told that it is deleted: "+text.Few(who, mostWereTold)+".")
				}
				return res.GetWritten(), err
			}, "haircut "+args[0]+" deleted")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// mostWereTold is how many of the people who had been told are named.
const mostWereTold = 8

// wereTold are the quotas, with their owners, whose people were told of a plan, each once and in order of path.
func wereTold(h *musterv1.Haircut) []string {
	owner := map[string]string{}
	for _, w := range h.GetWaves() {
		if w.GetTold() == nil {
			continue
		}
		for _, part := range w.GetParts() {
			for _, cut := range part.GetCuts() {
				owner[cut.GetQuota()] = cut.GetOwner()
			}
		}
	}
	var list []string
	for _, quota := range slices.Sorted(maps.Keys(owner)) {
		if of := owner[quota]; of != "" {
			quota += " (" + of + ")"
		}
		list = append(list, quota)
	}
	return list
}

// wave asks for a change to a wave, and says which it was.
func (o *haircutDoOptions) wave(ctx context.Context, do func(context.Context) (*musterv1.Written, string, error), next ...string) error {
	ctx, end := o.within(ctx)
	defer end()
	done := o.progress("trying the wave on a copy of the fleet")
	written, said, err := do(ctx)
	done()
	if err != nil {
		return err
	}
	return o.write(ctx, func(context.Context) (*musterv1.Written, error) { return written, nil }, said, next...)
}

// second is the second argument, "" for none.
func second(args []string) string {
	if len(args) < 2 {
		return ""
	}
	return args[1]
}

// haircutTellOptions are those of `muster haircut tell`.
type haircutTellOptions struct {
	*app
	reading
	writing
	owner    string
	markdown bool
	done     bool
}

func newHaircutTell(a *app) *cobra.Command {
	o := &haircutTellOptions{app: a}
	cmd := &cobra.Command{
		Use:     "tell NAME [CLUSTER]",
		Short:   "the messages for the people whom a plan concerns; with --done, note that they were told",
		Example: "  muster haircut tell autumn --markdown\n  muster haircut tell autumn --owner ada\n  muster haircut tell autumn tiger --done --reason 'mailed on Monday'",
		Args:    needs(1, 2, "the name of a saved haircut, and maybe a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !o.done && len(args) > 1 {
				return usage("a cluster goes with --done; without it the messages about all clusters are shown")
			}
			if !o.done {
				return o.read(cmd.Context(), &o.reading, func(ctx context.Context) (answer, error) { return o.messages(ctx, args[0]) })
			}
			return o.note(cmd.Context(), args[0], second(args))
		},
	}
	o.reading.flags(a, cmd)
	o.writing.flags(cmd)
	cmd.Flags().StringVar(&o.owner, "owner", "", "only the message for this owner")
	cmd.Flags().BoolVar(&o.markdown, "markdown", false, "as Markdown")
	cmd.Flags().BoolVar(&o.done, "done", false, "note that the people were told")
	return cmd
}

// note notes that people were told, and names them.
func (o *haircutTellOptions) note(ctx context.Context, name, cluster string) error {
	if err := o.nowOnly(); err != nil {
		return err
	}
	ctx, end := o.within(ctx)
	defer end()
	res, err := o.client().Haircuts.TellHaircut(ctx, &musterv1.TellHaircutRequest{Write: o.writing.message(), Name: name, Cluster: cluster})
	if err != nil {
		return err
	}
	people := orElse(text.And(res.GetPeople()), "the people whom it concerns") + text.Verb(len(res.GetPeople()), " was", " were")
	plan := o.plan(ctx, name)
	return o.write(ctx, func(context.Context) (*musterv1.Written, error) { return res.GetWritten(), nil },
		"noted: "+people+" told of haircut "+name, append(o.ahead(ctx, plan), o.next(ctx, name, plan))...)
}

func (o *haircutTellOptions) messages(ctx context.Context, name string) (answer, error) {
	res, err := o.client().Haircuts.HaircutMessages(ctx, &musterv1.HaircutMessagesRequest{AsOf: o.asOf.message(), Name: name})
	if err != nil {
		return answer{}, err
	}
	if o.owner != "" {
		if err := o.keepOwner(name, res); err != nil {
			return answer{}, err
		}
	}
	rows := newTable("", column{head: "OWNER"}, column{head: "SUBJECT"}, column{head: "TEXT"})
	for _, m := range res.GetMessages() {
		rows.add(m.GetOwner(), m.GetSubject(), m.GetText())
	}
	stops := o.ahead(ctx, o.plan(ctx, name))
	return answer{message: res, rows: rows, lead: func(p *page) {
		if len(res.GetMessages()) == 0 {
			p.say("Haircut %s concerns no quota, so there is no message.", name)
		}
		for _, m := range res.GetMessages() {
			if o.markdown {
				p.say("%s", m.GetMarkdown())
				continue
			}
			p.say("To: %s\nSubject: %s\n\n%s", orElse(m.GetOwner(), noOwner), m.GetSubject(), m.GetText())
		}
		if len(res.GetMessages()) > 0 && !o.markdown {
			p.say("Nothing was sent. Once these people know: muster haircut tell %s --done --reason 'how they were told'", name)
		}
		if !o.markdown {
			p.say("%s", strings.Join(stops, "\n"))
		}
	}}, nil
}

// noOwner stands for the owner of a quota that has none.
const noOwner = "(no owner is named)"

// keepOwner leaves the messages for the owner that was asked for; there must be one.
func (o *haircutTellOptions) keepOwner(name string, res *musterv1.HaircutMessagesResponse) error {
	var to []string
	var kept []*musterv1.HaircutMessage
	for _, m := range res.GetMessages() {
		to = append(to, orElse(m.GetOwner(), noOwner))
		if m.GetOwner() == o.owner {
			kept = append(kept, m)
		}
	}
	if len(kept) == 0 {
		return usage("haircut %s has no message for %.40q; its messages go to: %s", name, o.owner, orElse(strings.Join(to, ", "), "no one"))
	}
	res.Messages = kept
	return nil
}

// haircutExportOptions are those of `muster haircut export`.
type haircutExportOptions struct {
	*app
	reading
	haircutAsk
	to, scope string
}

// formatsOf are further formats of -o that a command knows.
const formatsOf = "formats"

func newHaircutExport(a *app) *cobra.Command {
	o := &haircutExportOptions{app: a}
	cmd := &cobra.Command{
		Use:   "export [NAME] -o xlsx|csv",
		Short: "write a plan as a spreadsheet whose figures follow the buffer in one cell, or as CSV",
		Long: `Export writes a saved plan, or without a name a draft of --scope, --basis and --policy. In the
spreadsheet the buffer stands in cell B3 of sheet Haircut; change it, and every figure follows.`,
		Example:     "  muster haircut export autumn -o xlsx\n  muster haircut export --scope tiger -o csv --to -",
		Args:        needs(0, 1, "at most one saved haircut"),
		Annotations: map[string]string{formatsOf: "xlsx"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.output == "table" {
				o.output = "xlsx"
			}
			if o.output != "xlsx" && o.output != "csv" {
				return usage("-o %.40q: a haircut is exported as xlsx or csv; muster haircut show has the others", o.output)
			}
			return o.export(cmd.Context(), first(args))
		},
	}
	o.reading.flags(a, cmd)
	o.haircutAsk.flags(cmd)
	cmd.Flags().StringVar(&o.scope, "scope", "", "of a draft: a cluster or a partition; none: the fleet")
	cmd.Flags().StringVar(&o.to, "to", "", "the file to write; - for standard output (haircut-NAME.xlsx)")
	return cmd
}

func (o *haircutExportOptions) export(ctx context.Context, name string) error {
	ask, err := o.haircutAsk.message(o.scope)
	if err != nil {
		return err
	}
	ctx, end := o.within(ctx)
	defer end()
	done := o.progress("waiting for " + o.server)
	res, err := o.client().Haircuts.ExportHaircut(ctx, &musterv1.ExportHaircutRequest{AsOf: o.asOf.message(), Name: name, Ask: ask, Format: o.output})
	done()
	if err != nil {
		return err
	}
	to := o.to
	if to == "" {
		to = fmt.Sprintf("haircut-%s.%s", orElse(name, "draft"), o.output)
	}
	if to == "-" {
		_, err = o.Out.Write(res.GetContent())
		return err
	}
	if err := os.WriteFile(to, res.GetContent(), 0o600); err != nil {
		return Malformed(err)
	}
	_, err = fmt.Fprintf(o.Out, "%s written, %s bytes\n", to, grouped(int64(len(res.GetContent()))))
	return err
}
