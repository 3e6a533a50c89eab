package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// writing is the flags of every change.
type writing struct {
	dryRun bool
	reason string
	key    string
	expect uint64

	propose bool
}

func (w *writing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&w.dryRun, "dry-run", false, "say what would happen, and change nothing")
	f.StringVar(&w.reason, "reason", "", "why; kept in the history beside who and when")
	f.StringVar(&w.key, "idempotency-key", "", "repeating a command with the same key does it once")
	f.Uint64Var(&w.expect, "expect-version", 0, "refuse (exit code 5) if the state is not at this version any more")
}

// proposes adds the flag of changes that may take two people.
func (w *writing) proposes(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&w.propose, "propose", false, "propose it to a second person instead of doing it: muster proposal list")
}

func (w *writing) message() *musterv1.Write {
	return &musterv1.Write{Propose: w.propose, DryRun: w.dryRun, Reason: w.reason, IdempotencyKey: w.key, ExpectVersion: w.expect}
}

// write asks for a change and says what came of it; said is the change in the
// past tense, next what people may want to do then.
func (a *app) write(ctx context.Context, do func(context.Context) (*musterv1.Written, error), said string, next ...string) error {
	return a.writeAnd(ctx, do, said, nil, next...)
}

// writeAnd is write for a change that has something to show besides: then comes
// under what was done.
func (a *app) writeAnd(ctx context.Context, do func(context.Context) (*musterv1.Written, error), said string, then func(*page), next ...string) error {
	return a.writeAround(ctx, do, said, around{after: then}, next...)
}

// around is what a change has to show besides: above what was done, and under it; and the kinds of events that a dry run
// need not tell of, for a note does.
type around struct {
	before, after func(*page)
	unsaid        []string
}

// writeAround is write for a change that has more to show.
func (a *app) writeAround(ctx context.Context, do func(context.Context) (*musterv1.Written, error), said string, more around, next ...string) error {
	ctx, end := a.within(ctx)
	defer end()
	done := a.progress("waiting for " + a.server)
	written, err := do(ctx)
	done()
	if err != nil {
		return err
	}
	n := &names{unsaid: more.unsaid}
	if written.GetDryRun() && (a.output == "table" || a.output == "wide") {
		n.learn(ctx, a, []*musterv1.Record{{Events: written.GetEvents()}})
	}
	undo := ""
	if !slices.ContainsFunc(next, func(line string) bool { return strings.Contains(line, "take it back") }) {
		undo = a.undoOf(ctx, written)
	}
	return a.print(a.Out, answer{message: written, rows: writtenRows(written), lead: func(p *page) {
		if more.before != nil {
			more.before(p)
		}
		p.written(written, said, n)
		if more.after != nil {
			more.after(p)
		}
		for _, line := range next {
			if !written.GetDryRun() {
				p.say("%s", line)
			}
		}
		if undo != "" {
			p.toCopy("Undo: ", undo)
		}
	}})
}

func writtenRows(w *musterv1.Written) *table {
	t := newTable("", column{head: "VERSION"}, column{head: "AT"}, column{head: "REPEAT"}, column{head: "DRY RUN"})
	t.add(w.GetVersion(), w.GetAt(), w.GetRepeat(), w.GetDryRun())
	return t
}

func (p *page) written(w *musterv1.Written, said string, n *names) {
	switch {
	case w.GetDryRun():
		p.tried(w, n)
	case w.GetProposal() != 0:
		p.say("proposed, and not done yet (version %d)", w.GetVersion())
	case w.GetRepeat():
		p.say("%s already, at version %d: nothing was done twice", said, w.GetVersion())
	case slices.Contains(w.GetNotes(), wire.Unchanged):
		p.say("%s (version %d)", strings.TrimSuffix(wire.Unchanged, "."), w.GetVersion())
	default:
		p.say("%s (version %d)", said, w.GetVersion())
	}
	for _, note := range w.GetNotes() {
		if note != wire.Unchanged { // it is said in the place of what would have been done
			p.wrapAs("", note)
		}
	}
}

// tried says what a dry run would lead to, one line for each thing that would change.
func (p *page) tried(w *musterv1.Written, n *names) {
	if len(w.GetEvents()) == 0 {
		p.say("dry run: nothing would change")
		return
	}
	p.say("dry run, nothing was changed; it would lead to:")
	for _, line := range gangsInPieces(w.GetEvents()) {
		p.wrapAs("  - ", line)
	}
	told := slices.DeleteFunc(slices.Clone(w.GetEvents()), func(e *musterv1.Event) bool { return slices.Contains(n.unsaid, e.GetKind()) })
	lines := n.plans(words.Steps(told))
	for i, line := range lines {
		if i == mostSteps {
			p.say("  - and %s; -o json lists all", counted(int64(len(lines)-i), "more step", "more steps"))
			break
		}
		p.wrapAs("  - ", line)
	}
	for _, e := range waits(w.GetEvents()) {
		about, _ := n.event(e)
		p.wrapAs("  - ", about+" waits; muster fit, with the same shape, says where it would run and when")
	}
}

// mostSteps is how many steps of a dry run are told one by one.
const mostSteps = 20

// waits are the submissions among events that lead to no room at once.
func waits(events []*musterv1.Event) []*musterv1.Event {
	placed := map[uint64]bool{}
	for _, e := range events {
		if e.GetKind() == "replicas.placed" {
			placed[workloadOf(e)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e *musterv1.Event) bool {
		return e.GetKind() != "workload.submitted" || placed[workloadOf(e)]
	})
}

// workloadOf is the number of the workload that an event is about.
func workloadOf(e *musterv1.Event) uint64 {
	var data struct{ ID uint64 }
	_ = json.Unmarshal([]byte(e.GetData()), &data)
	return data.ID
}
