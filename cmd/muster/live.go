package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/demo"
	"github.com/muster-fleet/muster/internal/engine"
	"github.com/muster-fleet/muster/internal/fleet"
)

// statusLine is one line at the bottom of a terminal that is written anew in
// place; everything else goes above it. Elsewhere it is lines like all others.
type statusLine struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	text     string
}

// set shows another text in the line.
func (l *statusLine) set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = text
	if l.terminal {
		_, _ = fmt.Fprintf(l.w, "\r%s\x1b[K", text)
		return
	}
	_, _ = fmt.Fprintln(l.w, text)
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
		p2 := append([]byte("\r\x1b[K"), bytes.TrimRight(p, "\n")...)
		_, err := fmt.Fprintf(l.w, "%s\n%s", p2, l.text)
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

// greet says what runs, and what to do next.
func (s *server) greet() {
	var nodes, live int
	var found *fleet.State
	s.engine.Read(func(st *fleet.State) { nodes, live = count(st); found = st })
	s.tell("Muster %s listens on %s, its journal is in %s", version(), s.listener.Addr(), s.folder.path)
	if report, ok := s.journal.Salvaged(); ok {
		s.tell("The journal was damaged and is cut back to version %d; the damaged files are in %s.", report.Good, report.Aside)
	}
	took := time.Since(s.began).Round(time.Millisecond).Seconds()
	if s.records > 0 {
		s.tell("The fleet of before, at version %d, found again in %.2f s (%s).", s.records, took, s.from())
	}
	if s.records > 0 && s.HasFleet {
		s.tell("The fleet file was not applied: this journal has a fleet already. muster apply -f changes it.")
	}
	_ = found
	if s.cluster.demo == nil {
		s.tell("%d nodes, %d workloads that have not ended. No cluster is connected in this version: replicas are\nsimulated, and workloads run until somebody cancels them.", nodes, live)
		if nodes == 0 {
			s.tell("\nThe fleet is empty. In another terminal: muster apply -f fleet.yaml")
		}
	} else {
		s.tell("\n%s", demo.Welcome(s.flag()))
	}
	s.tell("Ctrl-C stops it; the same command starts it again with the same fleet.")
}

// from says what the state was rebuilt from.
func (s *server) from() string {
	if s.snapshot == 0 {
		return fmt.Sprintf("%d records replayed", s.records)
	}
	return fmt.Sprintf("a snapshot at version %d and %d records after it", s.snapshot, s.records-s.snapshot)
}

// flag is what commands need besides, to reach a server that is not where they look.
func (s *server) flag() string {
	if address := s.listener.Addr().String(); address != client.DefaultAddress {
		return "--server " + address + " "
	}
	return ""
}

func (s *server) tell(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format+"\n", args...) }

// farewell says what was kept.
func (s *server) farewell() {
	s.tell("Stopped at version %d. The journal in %s has everything.", s.engine.Durable(), s.folder.path)
}
