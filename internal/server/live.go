package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/muster-fleet/muster/client"
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

// place is where the journal is.
func (s *server) place() string {
	if shared := s.leadership.Journal(); shared != "" {
		return shared
	}
	return s.folder.Path
}

// greet says what runs, and what to do next.
func (s *server) greet() {
	s.tell("Muster %s listens on %s, its journal is in %s", version(), s.address(), s.place())
	if s.TLSCert == selfMade {
		s.tell("It made its own certificate. The command line trusts it with SSL_CERT_FILE=%s", filepath.Join(s.folder.File(selfDir), selfCert))
	}
	if s.aside != "" {
		s.tell("What was left of the old journal is in %s.", s.aside)
	}
	if report := s.salvaged; report != nil {
		s.tell("The journal was damaged and is cut back to version %d; the damaged files are in %s.", report.Good, report.Aside)
		if report.First > 1 {
			s.tell("It begins with version %d: what was before cannot be proven, and is in that folder alone.", report.First)
		}
	}
	if _, follows := s.engine.Follows(); follows {
		s.tell("This server follows: it answers reads, sends writes to the one that leads, and takes over when that is gone.")
	}
	took := time.Since(s.began).Round(time.Millisecond).Seconds()
	if s.records > 0 {
		s.tell("The fleet of before, at version %d, found again in %.2f s (%s).", s.records, took, s.from())
	}
	if s.records > 0 && s.HasFleet {
		s.tell("The fleet file was not applied: this journal has a fleet already. muster apply -f changes it.")
	}
	s.invite()
	s.tell("Ctrl-C stops it; the same command starts it again with the same fleet.")
}

// address is where the server is reached, as clients are told it.
func (s *server) address() string {
	if s.TLSCert == "" {
		return s.listener.Addr().String()
	}
	return "https://" + s.listener.Addr().String()
}

// invite says what there is, and what to type next.
func (s *server) invite() {
	if s.cluster.demo != nil {
		s.tell("\n%s", demo.Welcome(s.before()...))
		return
	}
	nodes, live := 0, 0
	s.engine.Read(func(st *fleet.State) { nodes, live = count(st) })
	if several, ok := s.cluster.real.(*clusters); ok {
		several.invite(nodes, live)
		return
	}
	if s.Join != nil {
		return // the cluster itself says what there is, in a moment
	}
	s.tell("Nodes: %d; workloads that have not ended: %d. No cluster is connected: replicas are simulated, and\n"+
		"workloads run until they are cancelled.", nodes, live)
	if nodes == 0 {
		s.tell("\nThe fleet is empty. In another terminal: muster apply -f fleet.yaml")
	}
}

// from says what the state was rebuilt from.
func (s *server) from() string {
	if s.snapshot == 0 {
		return fmt.Sprintf("%d records replayed", s.records)
	}
	return fmt.Sprintf("a snapshot at version %d and %d records after it", s.snapshot, s.records-s.snapshot)
}

// before is what to type first, so that commands are found and reach this server.
func (s *server) before() (lines []string) {
	self, err := os.Executable()
	if found, lost := exec.LookPath("muster"); err == nil && (lost != nil || found != self) {
		lines = append(lines, "alias muster="+self)
	}
	if address := s.address(); address != client.DefaultAddress {
		lines = append(lines, "export MUSTER_SERVER="+address)
	}
	return lines
}

func (s *server) tell(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format+"\n", args...) }

// farewell says what was kept.
func (s *server) farewell() {
	s.tell("Stopped at version %d. The journal in %s has everything.", s.engine.Durable(), s.place())
}
