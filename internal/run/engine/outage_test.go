package engine

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
)

// An outage that has ended before the engine looked answers no command: what was decided meanwhile
// waits until it is durable.
func TestAnOutageThatEndedAnswersNoCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := Open(t.Context(), Options{Journal: memory.New(), Synchronous: true}) // its loops are run here
		if err != nil {
			t.Fatal(err)
		}
		groups := make(chan *group) // none is committed yet
		go e.decideLoop(groups)
		c := &call{request: core.Request{Command: core.CreateQuota{Path: "oak"}, Actor: core.System}, reply: make(chan answer, 1)}
		e.calls <- c
		synctest.Wait()
		e.outage.began <- struct{}{} // what an outage leaves that has ended
		synctest.Wait()
		select {
		case a := <-c.reply:
			t.Errorf("a command that is not durable was answered: %+v", a)
		default:
		}
		if err := e.commit(<-groups); err != nil {
			t.Fatal(err)
		}
		close(e.quit)
	})
}

// Who asks again and again hears since when nothing is decided, and not each time of another moment.
func TestAnOutageSaysSinceWhenItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lapsed error
		e, err := Open(t.Context(), Options{Journal: memory.New(), Synchronous: true, May: func() error { return lapsed }})
		if err != nil {
			t.Fatal(err)
		}
		since := func() (at time.Time) {
			var away *AwayError
			if err := e.away(); errors.As(err, &away) {
				at = away.Since
			}
			return at
		}
		lapsed = errors.New("the lease has run out")
		began := since()
		time.Sleep(time.Minute) // in the bubble
		if again := since(); began.IsZero() || !again.Equal(began) {
			t.Errorf("the outage lasts since %v, and a minute later since %v", began, again)
		}
		lapsed = nil
		if at := since(); !at.IsZero() {
			t.Errorf("it is over, and lasts since %v", at)
		}
		lapsed = errors.New("again")
		if again := since(); !again.After(began) {
			t.Errorf("another outage lasts since %v", again)
		}
	})
}
