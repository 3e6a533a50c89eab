package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
)

// visit is one request for a page.
type visit struct {
	*Server
	*client.Client
	r    *http.Request
	w    http.ResponseWriter
	ctx  context.Context
	asOf *timestamppb.Timestamp // the moment that the whole page is about; nil: now
	now  time.Time
	self session
}

// page is what a page says; frame.go puts it into what all pages share.
type page struct {
	title   string
	nav     string // the entry of the navigation that it belongs to
	lead    string // one line under the title
	command string // gives the same figures on the command line
	crumbs  []crumb
	still   bool // it does not change by itself
	part    bool // it is a part of a page that came later: its body is all of it
	status  int  // 0: 200
	late    bool // its figures come later
	body    templ.Component
}

type crumb struct{ text, path string }

// pageFunc answers a visit; an error becomes a page of its own (fail.go).
type pageFunc func(v *visit) (page, error)

// page makes a handler of a pageFunc.
func (s *Server) page(fn pageFunc) http.Handler {
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
		if changesOnly(r) {
			s.fragments.serve(w, r, whole)
			return
		}
		whole.ServeHTTP(w, r)
	})
}

// changesOnly says whether htmx asks for what of a page changes while it is open.
func changesOnly(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Target") == "main"
}

// isPart says whether htmx asks for a part of a page that comes later: it may take long.
func isPart(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Target") != "main"
}

func (s *Server) visit(w http.ResponseWriter, r *http.Request) (*visit, error) {
	v := &visit{Server: s, Client: s.client, r: r, w: w, now: s.o.Now().UTC(), self: s.session(w, r)}
	v.ctx = withBrowser(r.Context(), browser{host: r.Host, origin: r.Header.Get("Origin"), token: v.self.token})
	if r.Header.Get("HX-Request") == "true" {
		v.ctx = toldAgain(v.ctx)
	}
	word := r.URL.Query().Get("as-of")
	if word == "" {
		return v, nil
	}
	at, err := moment(word, v.now)
	if err != nil {
		return v, err
	}
	v.asOf = timestamppb.New(at)
	return v, nil
}

// moment reads a moment as an address or a form writes it: RFC 3339, what a
// browser's field for times gives (in UTC), a time of today, or so long ago (2h).
func moment(word string, now time.Time) (time.Time, error) {
	word = strings.TrimSuffix(strings.TrimSpace(word), " UTC")
	if d, err := time.ParseDuration(strings.TrimPrefix(word, "-")); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, word); err == nil {
			return t.UTC(), nil
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} { // as pages write a moment of today
		if t, err := time.Parse(layout, word); err == nil {
			y, m, d := now.UTC().Date()
			return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, time.UTC), nil
		}
	}
	return time.Time{}, &wrongInput{"as-of", "is no moment: " + short(word, 40) + "; write " + now.UTC().Format("2006-01-02 15:04:05") + ", 15:04 of today, or 2h for two hours ago, in UTC"}
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// at is the moment that the page is about.
func (v *visit) at() time.Time {
	if v.asOf != nil {
		return v.asOf.AsTime()
	}
	return v.now
}

// to is the address of another page, about the same moment: path, then names and
// values of its query; empty values are left out.
func (v *visit) to(path string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	if v.asOf != nil && q.Get("as-of") == "" {
		q.Set("as-of", stamp(v.asOf.AsTime()))
	}
	path, part, _ := strings.Cut(path, "#")
	u := url.URL{Path: path, RawQuery: q.Encode(), Fragment: part}
	return u.String()
}

// here is the address of this page with some of its query changed; a value of ""
// takes its name out.
func (v *visit) here(query ...string) string {
	q := v.r.URL.Query()
	for i := 0; i+1 < len(query); i += 2 {
		q.Del(query[i])
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	u := url.URL{Path: v.r.URL.Path, RawQuery: q.Encode()}
	return u.String()
}

// stamp writes a moment into an address.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// show renders a page: whole, or what of it changes where htmx asks.
func (v *visit) show(p page) {
	if p.part {
		v.showPart(p)
		return
	}
	f, err := v.frame(p)
	if err != nil {
		v.fail(err)
		return
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "HX-Request")
	if p.status != 0 {
		v.w.WriteHeader(p.status)
	}
	whole := layout(f, p)
	if changesOnly(v.r) {
		whole = fragment(f, p)
	}
	v.render(whole)
}

func (v *visit) showPart(p page) {
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Cache-Control", "no-store")
	v.render(p.body)
}

func (v *visit) render(c templ.Component) {
	if err := c.Render(v.ctx, v.w); err != nil {
		v.o.Log.Debug("a page was not read to its end", "path", v.r.URL.Path, "error", err)
	}
}
