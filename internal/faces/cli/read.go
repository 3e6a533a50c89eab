package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// reading is the flags of every question.
type reading struct {
	asOf  moment
	watch bool
}

func (r *reading) flags(a *app, cmd *cobra.Command) {
	r.asOf.env = a.Env
	cmd.Flags().Var(&r.asOf, "as-of", "as it was at a moment: yesterday, 'monday 18:00', 2026-11-21T12:00:00Z, or 2h for two hours ago")
	cmd.Flags().StringVar(&a.sort, "sort", "", "sort the rows of tables and CSV by this column; -COLUMN from the largest down")
	cmd.Flags().BoolVarP(&r.watch, "watch", "w", false, "show it again whenever something happens")
}

// nowOnly refuses the flags of a question where a command would change something: the past is not changed.
func (r *reading) nowOnly() error {
	switch {
	case !r.asOf.at.IsZero():
		return usage("--as-of asks about the past, and this would change what is now; leave out --as-of, or what makes the change")
	case r.watch:
		return usage("--watch shows what is asked for, and this would change something; leave one of them out")
	}
	return nil
}

// limit is how long one call may take where --timeout says nothing.
const limit = time.Minute

// within bounds a call.
func (a *app) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.timeout.d > 0 {
		return context.WithTimeout(ctx, a.timeout.d)
	}
	return context.WithTimeout(ctx, limit)
}

// read asks a question once, or again and again, and shows the answer.
func (a *app) read(ctx context.Context, r *reading, ask func(context.Context) (answer, error)) error {
	a.lookedAt = r.asOf.at
	if r.watch {
		if !r.asOf.at.IsZero() {
			return usage("--watch shows what happens now, --as-of what was; give one of them")
		}
		return a.watch(ctx, ask)
	}
	ctx, end := a.within(ctx)
	defer end()
	done := a.progress("waiting for " + a.server)
	ans, err := ask(ctx)
	done()
	if err != nil {
		return err
	}
	if err := a.print(a.Out, ans); err != nil {
		return err
	}
	return a.verdict(ans)
}

// verdict is the error of an answer that is not what was asked for.
func (a *app) verdict(ans answer) error {
	if a.exitCode && ans.unmet != "" {
		_, _ = fmt.Fprintf(a.Err, "muster: %s\n", ans.unmet)
		return errNotMet
	}
	return nil
}

// The least time between two looks while watching, and the longest without one:
// how long ago something was changes by itself.
const (
	minRefresh = 250 * time.Millisecond
	maxRefresh = 10 * time.Second
)

// watch shows the answer whenever something has happened, until ctx ends.
func (a *app) watch(ctx context.Context, ask func(context.Context) (answer, error)) error {
	ctx, end := a.patience(ctx)
	defer end()
	news := make(chan error, 1)
	happened := make(chan struct{}, 1)
	go func() {
		news <- a.client().Watch(ctx, 0, nil, func(*musterv1.Record) error {
			select {
			case happened <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	s := &screen{app: a}
	for {
		ans, err := ask(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		if err := s.show(ans); err != nil {
			return err
		}
		if err := await(ctx, happened, news); err != nil {
			return ended(ctx, err)
		}
	}
}

// patience bounds watching, where --timeout asks for it.
func (a *app) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.timeout.d > 0 {
		return context.WithTimeout(ctx, a.timeout.d)
	}
	return context.WithCancel(ctx)
}

// await returns when it is time to look again.
func await(ctx context.Context, happened <-chan struct{}, news <-chan error) error {
	pause, late := time.NewTimer(minRefresh), time.NewTimer(maxRefresh)
	defer pause.Stop()
	defer late.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-happened:
	case <-late.C:
	case err := <-news:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// ended takes the end that the person at the keyboard wanted for no error.
func ended(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// screen shows answers one over the other on a terminal, and elsewhere those
// that are new one under the other.
type screen struct {
	*app
	last []byte
}

func (s *screen) show(ans answer) error {
	var b bytes.Buffer
	if err := s.print(&b, ans); err != nil {
		return err
	}
	if !s.OutTerminal {
		if bytes.Equal(b.Bytes(), s.last) {
			return nil
		}
		if s.last != nil && (s.output == "table" || s.output == "wide") {
			_, _ = fmt.Fprintln(s.Out)
		}
		s.last = b.Bytes()
		_, err := s.Out.Write(s.last)
		return err
	}
	// Line over line, so that nothing flickers; then away with what is left below.
	text := strings.ReplaceAll(s.cut(b.String()), "\n", "\x1b[K\n")
	first := "\x1b[H"
	if s.last == nil {
		first = "\x1b[2J\x1b[H"
	}
	s.last = b.Bytes()
	_, err := fmt.Fprintf(s.Out, "%s%s\x1b[J", first, text)
	return err
}

// cut keeps what the terminal can show at once.
func (s *screen) cut(text string) string {
	height := 0
	if s.Height != nil {
		height = s.Height()
	}
	lines := strings.SplitAfter(text, "\n")
	if height < 3 || len(lines) <= height {
		return text
	}
	more := len(lines) - 1 - (height - 2)
	return strings.Join(lines[:height-2], "") + fmt.Sprintf("… and %d lines more, which this terminal has no room for\n", more)
}
