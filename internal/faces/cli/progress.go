package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// quietFor is how long a command may say nothing: after that people want to know that it goes on.
const quietFor = 2 * time.Second

// What a terminal is told around a line of progress: to begin it over the one before, to clear what
// that one leaves on the right, and both to take the line away.
const (
	lineStart = "\r"
	lineRest  = "\x1b[K"
	lineGone  = lineStart + lineRest
)

// progress says on a terminal that something goes on, once it takes longer than quietFor, and then
// every second for how long. The function that it returns ends that, and waits for the last write.
func (a *app) progress(what string) (done func()) {
	if !a.ErrTerminal {
		return func() {}
	}
	began, quit := time.Now(), make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		wait := time.NewTimer(quietFor)
		defer wait.Stop()
		said := false
		for {
			select {
			case <-quit:
				if said {
					_, _ = fmt.Fprint(a.Err, lineGone)
				}
				return
			case <-wait.C:
				said = true
				_, _ = fmt.Fprintf(a.Err, lineStart+"%s … %s"+lineRest, what, short(time.Since(began)))
				wait.Reset(time.Second)
			}
		}
	})
	return sync.OnceFunc(func() { close(quit); told.Wait() })
}

// line shows one line of progress over the one before, on a terminal: for commands that know how
// far they are.
func (a *app) line(format string, args ...any) {
	if a.ErrTerminal {
		_, _ = fmt.Fprintf(a.Err, lineStart+"%s"+lineRest, text.Clip(fmt.Sprintf(format, args...), widest))
	}
}

// wipe takes the line of progress away.
func (a *app) wipe() {
	if a.ErrTerminal {
		_, _ = fmt.Fprint(a.Err, lineGone)
	}
}
