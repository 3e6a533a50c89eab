package server

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/prove/demo"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

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
	if s.backend.demo != nil {
		s.tell("\n%s", demo.Welcome(s.before()...))
		return
	}
	nodes, live := 0, 0
	s.engine.Read(func(st *fleet.State) { nodes, live = count(st) })
	if s.backend.reconcilers != nil {
		s.backend.reconcilers.Invite(nodes, live)
		return
	}
	s.tell("Nodes: %d; workloads that have not ended: %d. No cluster is connected: replicas are simulated, and\n"+
		"workloads run until they are cancelled.", nodes, live)
	if nodes == 0 {
		s.tell("\nThe fleet is empty. In another terminal:\n\n  %s\n", strings.Join(append(s.before(), "muster apply -f fleet.yaml   # muster apply --help shows such a file"), "\n  "))
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
	switch {
	case s.Tokens != "":
		lines = append(lines, "export MUSTER_TOKEN=TOKEN   # one that "+s.Tokens+" knows: this server asks for it")
	case s.OIDC.Issuer != "":
		lines = append(lines, "muster login")
	}
	return lines
}

func (s *server) tell(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format+"\n", args...) }

// farewell says what was kept.
func (s *server) farewell() {
	s.tell("Stopped at version %d. The journal in %s has everything.", s.engine.Durable(), s.place())
}
