package engine

import (
	"testing"
	"testing/synctest"

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
