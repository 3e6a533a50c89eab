package frame

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/ask"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Visit is one request for a page, with the API to ask as its reader.
type Visit struct {
	*client.Client
	Ctx     context.Context
	Request *http.Request
	Writer  http.ResponseWriter
	AsOf    *timestamppb.Timestamp // the moment that the page is about; nil: now
	Now     time.Time

	site *Site
	self session
}

// visit makes a visit of a request. It is never nil.
func (s *Site) visit(w http.ResponseWriter, r *http.Request) (*Visit, error) {
	v := &Visit{Client: s.client, site: s, Request: r, Writer: w, Now: s.o.Now().UTC(), self: s.session(w, r)}
	v.Ctx = ask.As(r.Context(), ask.Reader{Host: r.Host, Origin: r.Header.Get("Origin"), Token: v.self.token, Proof: r.Header.Get("Muster-Proof")})
	if r.Header.Get("HX-Request") == "true" {
		v.Ctx = ask.Refreshing(v.Ctx)
	}
	word := r.URL.Query().Get("as-of")
	if word == "" {
		return v, nil
	}
	at, err := Moment(word, v.Now)
	if err != nil {
		return v, err
	}
	v.AsOf = timestamppb.New(at)
	return v, nil
}

// Moment reads a moment as an address or a form writes it: RFC 3339, what a
// browser's field for times gives (in UTC), a time (the last such moment), a day (yesterday), or so long ago (2h).
func Moment(word string, now time.Time) (time.Time, error) {
	word = strings.TrimSpace(word)
	plain := word
	if len(word) <= len("15:04:05 UTC") { // as pages write a moment of today
		plain = strings.TrimSuffix(word, " UTC")
	}
	if at, ok := text.Back(strings.TrimPrefix(plain, "-"), now, time.UTC); ok {
		return at.UTC(), nil
	}
	return time.Time{}, Wrong("As of", Unfit(word, "a moment", now.UTC().Format("2006-01-02 15:04:05")+", yesterday, 15:04 of today, or 2h for two hours ago, in UTC"))
}

// At is the moment that the page is about.
func (v *Visit) At() time.Time {
	if v.AsOf != nil {
		return v.AsOf.AsTime()
	}
	return v.Now
}

// Begin is the moment of the first record; now where there is none.
func (v *Visit) Begin() time.Time {
	if at := v.site.began.Load(); at != nil {
		return *at
	}
	r, err := v.Events.ListEvents(v.Ctx, &musterv1.ListEventsRequest{From: 1, Limit: 1})
	if err != nil || len(r.GetRecords()) == 0 {
		return v.Now
	}
	at := r.GetRecords()[0].GetAt().AsTime()
	v.site.began.Store(&at)
	return at
}

// Query is a value of the address, without space around it.
func (v *Visit) Query(name string) string {
	return strings.TrimSpace(v.Request.URL.Query().Get(name))
}

// To is the address of another page, about the same moment: path, then names and
// values of its query; empty values are left out.
func (v *Visit) To(path string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	if v.AsOf != nil && q.Get("as-of") == "" {
		q.Set("as-of", parts.Stamp(v.AsOf.AsTime()))
	}
	path, part, _ := strings.Cut(path, "#")
	u := url.URL{Path: path, RawQuery: q.Encode(), Fragment: part}
	return u.String()
}

// Here is the address of this page with some of its query changed; a value of ""
// takes its name out.
func (v *Visit) Here(query ...string) string {
	q := v.Request.URL.Query()
	for i := 0; i+1 < len(query); i += 2 {
		q.Del(query[i])
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	u := url.URL{Path: v.Request.URL.Path, RawQuery: q.Encode()}
	return u.String()
}

// Number reads the number of a record, or a place in a list; 0: it is none.
func Number(s string) (n uint64) {
	for _, r := range s {
		if r < '0' || r > '9' || n > 1<<60 {
			return 0
		}
		n = n*10 + uint64(r-'0')
	}
	return n
}

// isRefresh says whether an open page asks for what of it has changed.
func isRefresh(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Target") == "main"
}

// isPart says whether a page asks for a part that comes later: it may take long.
func isPart(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Target") != "main"
}
