package past_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// sleep lets time pass in which no server runs.
func (s *story) sleep(d time.Duration) {
	s.t.Helper()
	alive := s.now
	s.now = s.now.Add(d)
	s.must(core.StartServer{Alive: alive})
}

// While no server ran nothing is counted: neither as usable nor as work, as use, or as waiting.
func TestATimeWithoutAServerIsNotLived(t *testing.T) {
	s := tell(t)
	s.must(core.Submit{Spec: gang("g", "r/x", 2, 0)})
	s.must(core.Submit{Spec: gang("waits", "r/x", 5, 0)})
	s.pass(2 * time.Hour)
	s.node("tiger-h200-b-001", "repairing", "XID 79")
	s.pass(time.Hour)
	down := s.now
	s.sleep(10 * time.Hour)
	s.pass(time.Hour)
	w, now := s.all()
	a := s.book.Attained("tiger", w, now)[0]
	if want := hours(4) * 64; a.Installed != want {
		t.Errorf("installed for %d, want %d: the 10 hours without a server are counted", a.Installed, want)
	}
	if want := hours(2) * 8; a.Down != want {
		t.Errorf("down for %d, want %d", a.Down, want)
	}
	if want := hours(4) * 16; a.Uptime.Held != want {
		t.Errorf("work for %d, want %d", a.Uptime.Held, want)
	}
	waited := int64(0)
	for _, one := range s.book.Waiting("", "r/x", w, now) {
		waited += one.GPUs
	}
	if want := hours(4) * 40; waited != want {
		t.Errorf("waited %d, want %d", waited, want)
	}
	gaps := s.book.GapsIn(w)
	if len(gaps) != 1 || gaps[0].From != int64(down)/1e6 || gaps[0].To-gaps[0].From != hours(10) {
		t.Errorf("gaps: %v", gaps)
	}
}

// What ran on flex has not run undisturbed while no server ran.
func TestARunOnFlexIsAsLongAsItWasSeen(t *testing.T) {
	s := tell(t)
	s.must(core.Submit{Spec: gang("g", "flex", 1, 0)})
	s.pass(time.Hour)
	s.sleep(10 * time.Hour)
	s.pass(time.Hour)
	s.must(core.Cancel{Namespace: "n", Name: "g"})
	s.pass(time.Hour)
	runs := s.book.Runs["tiger/h200"]
	if len(runs) != 1 || runs[0].Lasted < hours(2) || runs[0].Lasted > hours(2)+60_000 {
		t.Errorf("it ran 2 hours before others saw it: %+v", runs)
	}
}

// A restart is shorter than what the log tells of.
func TestARestartIsNoGap(t *testing.T) {
	s := tell(t)
	s.pass(time.Hour)
	seq := s.book.Seq
	s.sleep(core.LeastGap - time.Second)
	if s.book.Seq != seq {
		t.Error("a restart is in the log")
	}
}
