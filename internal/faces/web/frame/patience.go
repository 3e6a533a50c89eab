package frame

import (
	"context"
	"net/http"
	"runtime"
	"time"
)

// A page whose figures take longer than patience comes without them, and asks for them;
// they are worked on for longest at most.
const (
	patience = 40 * time.Millisecond
	longest  = time.Minute
)

// answered is what a PageFunc came to.
type answered struct {
	page Page
	err  error
}

// ask answers a visit. A browser that opens a page whose figures take long gets its frame
// (late), and asks for the figures from there: the cache hands on what is being worked out.
func (v *Visit) ask(fn PageFunc) (a answered, late bool) {
	if !v.opens() {
		return v.answer(fn), false
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(v.Ctx), longest)
	work := *v
	work.Ctx = ctx
	done := make(chan answered, 1)
	go func() {
		defer end()
		done <- work.answer(fn)
	}()
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case a = <-done:
		return a, false
	case <-wait.C:
		return answered{page: Page{Title: "Muster", Body: comingBody(v.Here())}}, true
	}
}

// answer answers a visit when it is its turn.
func (v *Visit) answer(fn PageFunc) (a answered) {
	turns := v.site.turns
	if isPart(v.Request) {
		turns = v.site.partTurns
	}
	if !turns.take(v.Ctx) {
		return answered{err: v.Ctx.Err()}
	}
	defer turns.give()
	a.page, a.err = fn(v)
	return a
}

// opens says whether a browser opens the page: not a script, not htmx, and no reader
// without scripts who asked to wait.
func (v *Visit) opens() bool {
	return v.Request.Method == http.MethodGet && v.Request.Header.Get("Sec-Fetch-Dest") == "document" && v.Request.URL.Query().Get("wait") == ""
}

// turns limits how many pages are made at a time: to half of the processors, so that
// decisions find the other half free, however many pages are open.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)/2)) }

// take waits for a turn; false: the page was closed meanwhile.
func (t turns) take(ctx context.Context) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t turns) give() { <-t }
