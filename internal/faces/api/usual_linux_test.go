package api

import (
	"context"
	"slices"
	"syscall"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ranked notes by which rank of the kernel's it is read.
type ranked struct {
	Engine
	note func(what string)
}

func (r ranked) show(what string, fn func(*fleet.State)) { r.note(what); fn(nil) }

func (r ranked) Read(fn func(*fleet.State))  { r.show("read", fn) }
func (r ranked) Look(fn func(*fleet.State))  { r.show("look", fn) }
func (r ranked) Study(fn func(*fleet.State)) { r.show("study", fn) }

func (r ranked) Ponder(fn func(*fleet.State)) { r.show("ponder", fn) }

func (r ranked) LookBack(_ context.Context, _ fleet.Instant, fn func(*fleet.State)) error {
	r.show("look back", fn)
	return nil
}

// rankedPast does so where the past is read.
type rankedPast struct{ note func(what string) }

func (r rankedPast) Read(context.Context, uint64, func(*past.Book)) error {
	r.note("the book of the past")
	return nil
}

// Who reads the state or the past holds a lock that others wait for. A call that gives way would hold it until it has had a
// processor.
func TestCallsThatGiveWayReadAsUsual(t *testing.T) {
	rank := func() int {
		is, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	usual, seen := rank(), map[string]int{}
	note := func(what string) { seen[what] = rank() }
	e, p, nothing := usualEngine{ranked{note: note}}, usualPast{rankedPast{note}}, func(*fleet.State) {}
	gate.Aside(func() {
		e.Read(nothing)
		e.Look(nothing)
		e.Study(nothing)
		_ = e.LookBack(t.Context(), 0, nothing)
		_ = p.Read(t.Context(), 0, nil)
		note("what the call does itself")
	})
	for what, is := range seen {
		if own := what == "what the call does itself"; (is == usual) == own && usual > 1 {
			t.Errorf("%s has rank %d, usual is %d", what, is, usual)
		}
	}
	if len(seen) != 5 {
		t.Errorf("seen are %v", seen)
	}
}

// Who looks keeps from what is new all who come while it is brought up to date. So a call that gives way looks where those
// look who take long, and others do not.
func TestCallsThatGiveWayKeepNoneFromWhatIsNew(t *testing.T) {
	var seen []string
	e, nothing := usualEngine{ranked{note: func(what string) { seen = append(seen, what) }}}, func(*fleet.State) {}
	look := func() { e.Look(nothing); e.Study(nothing) }
	look()
	gate.Aside(look)
	if want := []string{"look", "study", "ponder", "ponder"}; !slices.Equal(seen, want) {
		t.Errorf("seen are %v, want %v", seen, want)
	}
}
