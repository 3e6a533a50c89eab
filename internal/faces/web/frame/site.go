package frame

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/faces/web/ask"
	"github.com/muster-fleet/muster/internal/state/event"
)

// Options of New.
type Options struct {
	API     http.Handler                                                              // answers the API; pages ask it in process
	Watch   func(ctx context.Context, from uint64, fn func(event.Record) error) error // follows the journal from a record on
	Last    func() uint64                                                             // number of the last record
	Log     *slog.Logger                                                              // nil: nothing is logged
	Login   string                                                                    // address that leads readers to a provider; "": none does
	Version string                                                                    // of the binary: browsers keep assets for as long as it is the same
	Now     func() time.Time                                                          // nil: time.Now
}

// Site serves pages.
type Site struct {
	o      Options
	client *client.Client
	secret []byte // seals forms
	feed   *feed
	open   openPages
	heads  heads

	refreshes        refreshes
	turns, partTurns *turns                    // of pages, and of parts that come later
	began            atomic.Pointer[time.Time] // of the first record; nil: not known yet
}

// New makes a site. Run must run beside it for its pages to be live.
func New(o Options) *Site {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Site{o: o, secret: make([]byte, 32), feed: newFeed(), turns: newTurns(), partTurns: newTurns()}
	_, _ = rand.Read(s.secret) // it never fails
	s.refreshes.last, s.refreshes.changed = o.Last, s.feed.again
	s.refreshes.kept = ask.Shelf[*refresh]{Most: mostRefreshes, Bytes: refreshBytes}
	s.client = ask.Client(o.API, o.Last, s.feed.again)
	return s
}

// Run follows the journal until ctx ends, so that open pages are told of changes.
func (s *Site) Run(ctx context.Context) error {
	defer close(s.feed.over)
	if s.o.Watch == nil {
		<-ctx.Done()
		return nil
	}
	err := s.o.Watch(ctx, s.o.Last()+1, func(r event.Record) error {
		s.feed.heard(r.Seq)
		return nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// PageFunc answers a visit with a page.
type PageFunc func(v *Visit) (Page, error)

// Page makes a handler of a PageFunc.
func (s *Site) Page(fn PageFunc) http.Handler {
	whole := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.visit(w, r)
		if err == nil {
			a, late := v.ask(fn)
			if err = a.err; err == nil {
				a.page.late = late
				v.show(a.page)
				return
			}
		}
		v.fail(err)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isRefresh(r) {
			s.refreshes.serve(w, r, whole)
			return
		}
		whole.ServeHTTP(w, r)
	})
}

// FileFunc answers a visit with a file, which it writes itself.
type FileFunc func(v *Visit) error

// File makes a handler of a FileFunc.
func (s *Site) File(fn FileFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.visit(w, r)
		if err == nil {
			err = fn(v)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// maxForm is how large a form may be, in bytes.
const maxForm = 1 << 20

// FormFunc does what a form asks for, and returns the address to which the reader goes then.
type FormFunc func(v *Visit) (to string, err error)

// Form makes a handler of a FormFunc. It accepts only forms that this server made for this browser.
func (s *Site) Form(fn FormFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		v, err := s.visit(w, r)
		if err == nil {
			err = r.ParseForm()
		}
		if err != nil {
			v.fail(Wrong("form", "could not be read"))
			return
		}
		if !v.own() {
			v.fail(Wrong("form", "was not made for this browser, or the server was restarted since; go back, load the page again, and send it once more"))
			return
		}
		to, err := fn(v)
		s.heads.forget(v)
		s.refreshes.forget()
		if err != nil {
			v.fail(err)
			return
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
}
