package frame

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// A page whose figures take longer than patience comes without them, and asks for them;
// they are worked on for longest at most.
const (
	patience = 40 * time.Millisecond
	longest  = time.Minute
)

var errTooManyPages = Wrong("pages", "wait for their turn already, too many of them; close some")

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
		return answered{page: Page{Title: productName, Body: comingBody(v.Here())}}, true
	}
}

// answer answers a visit when it is its turn.
func (v *Visit) answer(fn PageFunc) (a answered) {
	if err := v.unknown(); err != nil {
		return answered{err: err}
	}
	turns := v.site.turns
	if isPart(v.Request) {
		turns = v.site.partTurns
	}
	line := opened
	if isRefresh(v.Request) {
		line = renewed
	}
	lend, give, ok := turns.take(v.Ctx, v.reader(), line, v.runs())
	if !ok {
		return answered{err: cmp.Or(v.Ctx.Err(), errTooManyPages)}
	}
	defer give()
	work := *v
	work.Ctx = gate.Lending(v.Ctx, lend)
	a.page, a.err = fn(&work)
	return a
}

// opens says whether a browser opens the page: not a script, not htmx, and no reader
// without scripts who asked to wait.
func (v *Visit) opens() bool {
	return v.Request.Method == http.MethodGet && v.Request.Header.Get("Sec-Fetch-Dest") == "document" && v.Request.URL.Query().Get("wait") == ""
}

// turns limits how many pages are made at a time: to half of the processors and one more, so that
// decisions find the others free, however many pages are open. One reader never has the last two
// of them: one who opens pages that take long keeps no other reader from theirs. With only one of
// two for all others, pages that were renewed beside such a reader took twice as long.
type turns struct {
	all  places
	mu   sync.Mutex
	each map[string]*readerTurns
}

// readerTurns are those of one reader.
type readerTurns struct {
	own    chan struct{}
	inLine int       // that have one, or wait
	left   float64   // seconds of work
	paid   time.Time // when it was counted last
}

// How long pages of one signed-in reader may be worked on: seconds in each second, and how
// much may be saved up, as the API has it (api/slots.go says why it is no more). While others wait
// for the processor it is less of both.
const (
	workEach    = 0.1
	workSaved   = 1.0
	mostReaders = 4096
)

// leftToOthers is how many of the places one reader never has.
const leftToOthers = 2

// mostInLine is how many pages of one reader may wait for their turn.
const mostInLine = 256

func newTurns() *turns {
	return &turns{all: places{most: max(leftToOthers+1, gate.Cores()/2+1)}, each: map[string]*readerTurns{}}
}

// take waits for a turn in a line; ok is false if the page was closed meanwhile, or too many wait.
// What is worked until give is called, on the same goroutine, counts as the reader's. lend gives the place to another page until its result is called.
// An operator does not rest after a page that took long, as in the API: a part of the next page would wait ten seconds
// for each second of that, and say "Loading" meanwhile.
func (t *turns) take(ctx context.Context, reader string, line int, runs bool) (lend func() (back func()), give func(), ok bool) {
	r := t.join(reader)
	if r == nil {
		return nil, nil, false
	}
	if !wait(ctx, r.own) {
		t.leave(r)
		return nil, nil, false
	}
	if reader != noReader && !runs && !t.rested(ctx, r) || !t.all.take(ctx, line) {
		<-r.own
		t.leave(r)
		return nil, nil, false
	}
	one := &place{of: &t.all}
	busy := gate.Busy()
	return one.lend, func() {
		worked := busy() - one.leave() // while it is lent, the API counts what it does for the reader
		t.mu.Lock()
		r.left -= max(0, worked).Seconds()
		t.mu.Unlock()
		<-r.own
		t.leave(r)
	}, true
}

// wait waits for one of some turns.
func wait(ctx context.Context, line chan struct{}) bool {
	select {
	case line <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// unknown is why it is not known who reads; nil: it is, or nothing was shown. Such a page has no place: to find out may take
// long, as where a provider is asked, and each could come with another token.
func (v *Visit) unknown() error {
	if v.shows() == noReader {
		return nil
	}
	if _, err := v.site.heads.of(v); err != nil && troubleOf(err).signIn {
		return err
	}
	return nil
}

// shows is what a reader shows of who they are.
func (v *Visit) shows() string { return v.self.token + "\x00" + v.Request.Header.Get("Muster-Proof") }

// reader tells the readers of pages apart: people, however often each of them signed in. Who is not known is told by
// what they show.
func (v *Visit) reader() string {
	shown := v.shows()
	if shown == noReader {
		return noReader
	}
	if h, err := v.site.heads.of(v); err == nil && h.status.GetActor() != "" {
		return h.status.GetActor()
	}
	return shown
}

// runs says whether a reader who signed in runs the fleet.
func (v *Visit) runs() bool { return v.reader() != noReader && v.Operator() }

// noReader is every reader of a server where there is no sign-in.
const noReader = "\x00"

// earned is what a reader has left now. The turns are locked.
func (r *readerTurns) earned() float64 {
	now := time.Now()
	spare := gate.Spare()
	r.left, r.paid = min(spare*workSaved, r.left+spare*workEach*now.Sub(r.paid).Seconds()), now
	return r.left
}

// rested waits until a reader's next page may be made.
func (t *turns) rested(ctx context.Context, r *readerTurns) bool {
	t.mu.Lock()
	left := r.earned()
	t.mu.Unlock()
	if left > 0 {
		return true
	}
	return gate.Pause(ctx, time.Duration(-left/(gate.Spare()*workEach)*float64(time.Second)))
}

// join puts a reader in line; nil: too many pages of theirs are.
func (t *turns) join(reader string) *readerTurns {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.each[reader]
	if r == nil {
		r = &readerTurns{own: make(chan struct{}, t.all.most-leftToOthers), left: workSaved, paid: time.Now()}
		t.each[reader] = r
	}
	if r.inLine >= mostInLine {
		return nil
	}
	r.inLine++
	return r
}

func (t *turns) leave(r *readerTurns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.inLine--
	if len(t.each) <= mostReaders {
		return
	}
	for name, one := range t.each { // those who have had nothing for a while are as good as new
		if one.inLine == 0 && one.earned() >= gate.Spare()*workSaved {
			delete(t.each, name)
		}
	}
}

// productName is the title of a page whose own is not known yet.
const productName = "Muster"

// inTab is the title of a page in its browser's tab: its own before the product's, which is not said twice.
func (p Page) inTab() string {
	if p.Title == productName {
		return productName
	}
	return p.Title + " · " + productName
}
