package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// clocks are a machine's: the one that people set, and the one that only runs.
type clocks struct {
	says fleet.Instant
	ran  time.Duration
}

func (c *clocks) pass(d time.Duration) { c.says, c.ran = c.says.Add(d), c.ran+d }

func (c *clocks) on(j *memory.Journal) engine.Options {
	return engine.Options{
		Journal: j, Synchronous: true,
		Now: func() fleet.Instant { return c.says }, Steady: func() time.Duration { return c.ran },
	}
}

func give(t *testing.T, e *engine.Engine, c core.Command) engine.Result {
	t.Helper()
	res, err := e.Do(t.Context(), operator(c))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

var noon = fleet.InstantOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))

// A record of a clock that was ten years ahead stops no grace.
func TestTimeGoesOnAfterARecordOfAClockThatWasAhead(t *testing.T) {
	j, is := memory.New(), &clocks{says: noon.Add(10 * 365 * 24 * time.Hour)}
	small(t, is.on(j))
	is.says = noon
	e := open(t, is.on(j))
	if ahead := e.Ahead(); ahead < 9*365*24*time.Hour {
		t.Errorf("the time is said to be ahead by %v", ahead)
	}
	give(t, e, job("a"))
	give(t, e, core.Cancel{Namespace: "n", Name: "a"})
	var ends fleet.Instant
	e.Read(func(s *fleet.State) { ends = s.NextAlarm() })
	is.pass(10 * time.Minute) // the grace is a second, and no cluster says that it has stopped
	give(t, e, core.Tick{})
	e.Read(func(s *fleet.State) {
		if at := s.NextAlarm(); s.Time < ends || at <= ends {
			t.Errorf("the grace that ends at %v still goes on at %v", ends.Time(), s.Time.Time())
		}
	})
}

// A clock that jumps ahead by years while the server runs is not believed; one that slept is.
func TestAClockThatJumpsIsNotBelieved(t *testing.T) {
	for jump, believed := range map[time.Duration]bool{10 * 365 * 24 * time.Hour: false, 3 * time.Hour: true} {
		is := &clocks{says: noon}
		e := small(t, is.on(memory.New()))
		is.pass(time.Minute)
		is.says = is.says.Add(jump)
		at := give(t, e, job("a")).At
		if was := at > noon.Add(2*time.Minute); was != believed {
			t.Errorf("after a jump of %v it is %v; believed: %v, want %v", jump, at.Time(), was, believed)
		}
		is.says = is.says.Add(-jump) // it is set right
		is.pass(time.Minute)
		if later := give(t, e, job("b")).At; later <= at {
			t.Errorf("with the clock right again, time goes from %v to %v", at.Time(), later.Time())
		}
	}
}

// Whatever the machine's clock says: time never goes back, never stands still for long, and
// never runs ahead of the machine further than the longest jump that is believed.
func TestTimeIsBoundedUnderAnyClock(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { boundedUnder(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

// boundedUnder lets a clock jump at random, and holds the engine's time against what passed.
func boundedUnder(t *testing.T, rng *rand.Rand) {
	is := &clocks{says: noon}
	e := small(t, is.on(memory.New()))
	var last fleet.Instant
	e.Read(func(s *fleet.State) { last = s.Time })
	for n := range 300 {
		if rng.IntN(4) == 0 {
			is.says = is.says.Add(time.Duration(rng.Int64N(int64(4*engine.LongestJump))) - 2*engine.LongestJump)
		}
		went := time.Duration(rng.Int64N(int64(time.Hour)))
		is.pass(went)
		at := give(t, e, core.CreateQuota{Path: fmt.Sprintf("p%d", n)}).At
		if at.Sub(last) < went-went/10 || at.Sub(last) > went+engine.LongestJump {
			t.Fatalf("step %d: after %v time went on by %v", n, went, at.Sub(last))
		}
		last = at
	}
}

// A standby has the leader's time when it takes over, however long it has followed.
func TestAStandbyThatTakesOverHasTheRightTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &followed{memory.New()}
		leader := small(t, engine.Options{Journal: j})
		standby := open(t, engine.Options{Journal: j, Follow: true})
		time.Sleep(time.Hour)
		if _, err := leader.Do(t.Context(), operator(job("a"))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // virtual: the standby has heard of it
		leader.Close()
		if err := standby.Lead(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer standby.Close()
		if at := give(t, standby, job("b")).At.Time(); !at.Equal(time.Now()) {
			t.Errorf("at %v the new leader takes it for %v", time.Now(), at)
		}
	})
}

// followed is a journal that can be waited for.
type followed struct{ *memory.Journal }

func (j *followed) Wait(ctx context.Context, after uint64) (uint64, error) {
	for {
		if last, _, err := j.Last(ctx); err != nil || last > after {
			return last, err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
