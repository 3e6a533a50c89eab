package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// confirming is the flag of changes that may take the protection of running work. On a
// terminal they name that work and ask first.
type confirming struct{ yes bool }

func (k *confirming) flags(cmd *cobra.Command) {
	k.flagsFor(cmd, "running work becomes unprotected")
}

// flagsFor is flags of a change that asks before something else.
func (k *confirming) flagsFor(cmd *cobra.Command, before string) {
	cmd.Flags().BoolVarP(&k.yes, "yes", "y", false, "do not ask on a terminal before "+before)
}

// change is a call that changes something, with what every change carries: it may be made twice,
// tried first and then for good. The call of write is made once, and carries that itself.
type change func(context.Context, *musterv1.Write) (*musterv1.Written, error)

// writeAsking is write for a change that may take the protection of running work.
func (a *app) writeAsking(ctx context.Context, k *confirming, w *writing, do change, said string) error {
	if err := a.confirm(ctx, k, w, do); err != nil {
		return err
	}
	return a.write(ctx, func(ctx context.Context) (*musterv1.Written, error) { return do(ctx, w.message()) }, said)
}

// errDeclined says that the person at the terminal did not agree.
var errDeclined = &told{errors.New("nothing was changed"), ExitError}

// confirm lets a change pass by which nothing loses its protection, or to which the
// person at the terminal agrees. Without a terminal it passes.
func (a *app) confirm(ctx context.Context, k *confirming, w *writing, do change) error {
	return a.confirmed(ctx, k, w, do, "Running work becomes unprotected: it goes on, and may be evicted for others.",
		func(ctx context.Context, w *musterv1.Written) []string { return a.unprotected(ctx, w.GetEvents()) })
}

// confirmed tries a change first and shows what its dry run means, in lines under a head. Without lines, or without
// a terminal, it passes.
func (a *app) confirmed(ctx context.Context, k *confirming, w *writing, do change, head string, means func(context.Context, *musterv1.Written) []string) error {
	if k.yes || w.dryRun || !a.InTerminal || !a.ErrTerminal {
		return nil
	}
	ctx, end := a.within(ctx)
	defer end()
	written, err := do(ctx, &musterv1.Write{DryRun: true, Reason: w.reason, ExpectVersion: w.expect})
	if err != nil {
		return err
	}
	if lines := means(ctx, written); len(lines) > 0 && !a.ask(head, lines, "Do it?") {
		return errDeclined
	}
	return nil
}

// losses are the notes of a dry run that say which work and which promises lose what they have.
func losses(_ context.Context, w *musterv1.Written) []string {
	return slices.DeleteFunc(slices.Clone(w.GetNotes()), func(note string) bool { return note == wire.Unchanged })
}

// unprotected names the running work that loses its protection by events.
func (a *app) unprotected(ctx context.Context, events []*musterv1.Event) []string {
	n := &names{}
	n.learn(ctx, a, []*musterv1.Record{{Events: events}})
	return n.plans(slices.DeleteFunc(slices.Clone(events), func(e *musterv1.Event) bool {
		var f foreseen
		return e.GetKind() != "holds.changed" || json.Unmarshal([]byte(e.GetData()), &f) != nil || holdsWords[f.Holds%len(holdsWords)] != "unprotected"
	}))
}

// ask shows what a change means, and returns the answer of the person at the terminal.
func (a *app) ask(what string, lines []string, question string) bool {
	_, _ = fmt.Fprintln(a.Err, what)
	for i, line := range lines {
		if i == mostEffects {
			_, _ = fmt.Fprintf(a.Err, "  and %d more; --dry-run names them all\n", len(lines)-i)
			break
		}
		_, _ = fmt.Fprintln(a.Err, "  - "+clean(line))
	}
	_, _ = fmt.Fprintf(a.Err, "%s [y/N] ", question)
	text, _ := bufio.NewReader(a.In).ReadString('\n')
	if slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(text))) {
		return true
	}
	_, _ = fmt.Fprintln(a.Err, "Nothing was changed.")
	return false
}
