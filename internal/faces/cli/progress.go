package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// patienceOut is after how long people want to know that something goes on.
const patienceOut = 2 * time.Second

// progress says on a terminal that something goes on, once it takes longer than
// two seconds. The function that it returns ends that.
func (a *app) progress(what string) (done func()) {
	if !a.ErrTerminal {
		return func() {}
	}
	began, quit := time.Now(), make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		wait := time.NewTimer(patienceOut)
		defer wait.Stop()
		said := false
		for {
			select {
			case <-quit:
				if said {
					_, _ = fmt.Fprint(a.Err, "\r\x1b[K")
				}
				return
			case <-wait.C:
				said = true
				_, _ = fmt.Fprintf(a.Err, "\r%s … %s\x1b[K", what, short(time.Since(began)))
				wait.Reset(time.Second)
			}
		}
	})
	return sync.OnceFunc(func() { close(quit); told.Wait() })
}

// line shows one line of progress over the one before, on a terminal.
func (a *app) line(format string, args ...any) {
	if a.ErrTerminal {
		_, _ = fmt.Fprintf(a.Err, "\r%s\x1b[K", text.Clip(fmt.Sprintf(format, args...), widest))
	}
}

// wipe takes the line of progress away.
func (a *app) wipe() {
	if a.ErrTerminal {
		_, _ = fmt.Fprint(a.Err, "\r\x1b[K")
	}
}
