package web

import (
	"context"
	"net/http"
	"time"
)

// How long a reader waits for a page's figures before the page comes without
// them, and how long they are worked on then.
const (
	patience = 40 * time.Millisecond
	worked   = time.Minute
)

// answered is what a pageFunc came to.
type answered struct {
	page page
	err  error
}

// ask answers a visit. A browser that opens a page gets its frame if the figures
// take long, and asks for them from there: what is being worked out meanwhile is
// then handed on (cache.go). late says that the page is such a frame.
func (v *visit) ask(fn pageFunc) (a answered, late bool) {
	if !v.opens() {
		return v.answer(fn), false
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(v.ctx), worked)
	work := *v
	work.ctx = ctx
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
		return answered{page: page{title: "Muster", body: comingBody(v.here())}}, true
	}
}

// answer answers a visit in its turn.
func (v *visit) answer(fn pageFunc) (a answered) {
	turns := v.turns
	if isPart(v.r) {
		turns = v.partTurns
	}
	if !turns.take(v.ctx) {
		return answered{err: v.ctx.Err()}
	}
	defer turns.give()
	a.page, a.err = fn(v)
	return a
}

// opens says whether a browser opens the page: not a script, not htmx, nobody who
// reads without scripts and asked to wait.
func (v *visit) opens() bool {
	return v.r.Method == http.MethodGet && v.r.Header.Get("Sec-Fetch-Dest") == "document" && v.r.URL.Query().Get("wait") == ""
}
