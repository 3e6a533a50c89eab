package tofu_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/tofutest"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// land is where things of projects stand, which outlive the program as what a cloud keeps does.
type land struct {
	*bench
	folder string
}

func newLand(t *testing.T) *land {
	t.Helper()
	b := newBench(t)
	tofutest.Provider(t)
	return &land{b, t.TempDir()}
}

// things is a project of things by name, each with a text.
func (l *land) things(names ...string) string {
	text := `terraform {
  required_providers { muster = { source = "muster.test/fleet/muster" } }
}
`
	for _, name := range names {
		text += fmt.Sprintf("resource \"muster_thing\" %q {\n  file = %q\n  text = %q\n}\n", name, l.at(name), "of the record")
	}
	return text
}

func (l *land) at(name string) string { return filepath.Join(l.folder, name) }

func (l *land) reads(name string) string {
	data, _ := os.ReadFile(l.at(name))
	return string(data)
}

// looks asks again until what is seen holds or not, as it should.
func (l *land) looks(s provision.Subject, holds bool) fleet.StepEvidence {
	l.Helper()
	l.now = l.now.Add(tofu.CheckEvery)
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		seen, err := l.r.Look(l.Context(), s)
		if err != nil {
			l.Fatal(err)
		}
		if len(seen) == 1 && seen[0].Holds == holds {
			return seen[0]
		}
	}
	l.Fatalf("it is not seen that the projects hold: %v", holds)
	return fleet.StepEvidence{}
}

// What a hand changes or takes away is seen by the next look, which leaves it as it is. The next
// run puts it right, and makes only what was gone.
func TestDriftByHandIsSeenAndPutRight(t *testing.T) {
	l := newLand(t)
	l.project("net", l.things("route", "peer"))
	o := order(1, 1, 1, "net")
	if is := l.run(o); is.State != fleet.OperationSucceeded || l.reads("peer") != "of the record" {
		t.Fatalf("%+v; %q stands", is, l.reads("peer"))
	}
	s := provision.Subject{Record: o.Record, Blueprint: o.Blueprint, Generation: 1, Done: []fleet.Step{fleet.StepPipeline}}
	l.looks(s, true)
	if err := errors.Join(os.WriteFile(l.at("route"), []byte("of a hand"), 0o600), os.Remove(l.at("peer"))); err != nil {
		t.Fatal(err)
	}
	if e := l.looks(s, false); !strings.Contains(e.Detail, "project net is not as it was applied") {
		t.Errorf("%+v", e)
	}
	if l.reads("route") != "of a hand" || l.reads("peer") != "" {
		t.Errorf("a look has changed what it saw: %q, %q", l.reads("route"), l.reads("peer"))
	}
	if is := l.run(order(2, 1, 1, "net")); is.State != fleet.OperationSucceeded {
		t.Fatalf("%+v", is)
	}
	if l.reads("route") != "of the record" || l.reads("peer") != "of the record" {
		t.Errorf("the run left %q, %q", l.reads("route"), l.reads("peer"))
	}
	if made := strings.Count(l.reads("made"), "\n"); made != 3 { // two, and the one that was gone
		t.Errorf("%d things were made:\n%s", made, l.reads("made"))
	}
	l.looks(s, true)
}

// A program that is killed in the middle of an apply leaves its lock, and things that its state
// knows nothing of. The run ends with an error; the next try takes the stale lock away, finds what
// stands, and makes nothing twice.
func TestAnApplyThatIsKilledIsTriedAgain(t *testing.T) {
	l := newLand(t)
	l.project("net", l.things("route"))
	hold := l.at("hold")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := order(1, 1, 1, "net")
	if _, err := l.r.Begin(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var program int
	for end := time.Now().Add(2 * time.Minute); program == 0; time.Sleep(20 * time.Millisecond) {
		_, _ = fmt.Sscanf(l.reads("made"), "route %d\n", &program)
		if time.Now().After(end) {
			t.Fatal("the apply does not begin")
		}
	}
	lock := filepath.Join(l.o.Folder, "states", "lynx", "net.tfstate.lock")
	if _, err := os.Stat(lock); err != nil {
		t.Fatal("an apply holds no lock:", err)
	}
	if err := syscall.Kill(program, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if is := l.ends(o); is.State != fleet.OperationFailed || is.Class != fleet.ErrorUnknown || !strings.Contains(is.Error, "killed") {
		t.Fatalf("%+v", is)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Fatal("a program that was killed has let go of its lock:", err)
	}
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	if is := l.run(order(2, 1, 1, "net")); is.State != fleet.OperationSucceeded || !strings.Contains(is.Detail, "net at files ") {
		t.Fatalf("tried again: %+v", is)
	}
	if made := strings.Count(l.reads("made"), "\n"); made != 1 {
		t.Errorf("%d things were made:\n%s", made, l.reads("made"))
	}
	if _, err := os.Stat(lock); !errors.Is(err, os.ErrNotExist) {
		t.Error("the lock is left:", err)
	}
}
