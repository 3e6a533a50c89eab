package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/prove/demo"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// statusLine is one line at the bottom of a terminal that is written anew in
// place; everything else goes above it. Elsewhere it is lines like all others.
type statusLine struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	width    func() int // columns of the terminal; 0: unknown
	text     string
}

// set shows another text in the line.
func (l *statusLine) set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.terminal {
		_, _ = fmt.Fprintln(l.w, text)
		return
	}
	l.text = l.fit(text)
	_, _ = fmt.Fprintf(l.w, "\r%s\x1b[K", l.text)
}

// fit keeps a text on one line of the terminal, or it could not be written over.
func (l *statusLine) fit(line string) string {
	if width := l.width(); width > 1 {
		return text.Clip(line, width-1)
	}
	return line
}

// during shows on a terminal what goes on while fn takes its time.
func (l *statusLine) during(what string, fn func() error) error {
	if !l.terminal {
		return fn()
	}
	const patience = 2 * time.Second
	began := time.Now()
	beat := time.NewTicker(patience)
	done := make(chan error, 1)
	go func() { done <- fn() }()
	defer beat.Stop()
	defer l.done()
	for {
		select {
		case err := <-done:
			return err
		case <-beat.C:
			l.set(fmt.Sprintf("%s … %s", what, time.Since(began).Round(time.Second)))
		}
	}
}

// say writes a line that stays.
func (l *statusLine) say(format string, args ...any) {
	_, _ = fmt.Fprintf(l, format+"\n", args...)
}

// Write writes whole lines above the line: what is logged comes this way.
func (l *statusLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.terminal && l.text != "" {
		_, err := fmt.Fprintf(l.w, "\r\x1b[K%s\n%s", bytes.TrimRight(p, "\n"), l.text)
		return len(p), err
	}
	return l.w.Write(p)
}

// done leaves the line for good.
func (l *statusLine) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.terminal && l.text != "" {
		_, _ = fmt.Fprint(l.w, "\r\x1b[K")
		l.text = ""
	}
}

// How often the demo says how the fleet is: in place, and as lines.
const (
	inPlace = 2 * time.Second
	asLines = 10 * time.Second
)

// summaries says now and then how the fleet is, until ctx ends.
func summaries(ctx context.Context, e *engine.Engine, line *statusLine) {
	pause := asLines
	if line.terminal {
		pause = inPlace
	}
	beat := time.NewTicker(pause)
	defer beat.Stop()
	defer line.done()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-beat.C:
			var text string
			e.Read(func(s *fleet.State) { text = demo.Summary(s) })
			line.set(now.Format(time.TimeOnly) + "  " + text)
		}
	}
}
