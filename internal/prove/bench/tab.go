package bench

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"time"
)

// tab is a page that a reader has open, and asks for what its script does.
type tab struct {
	pages http.Handler
	path  string
	parts []*part
	wrong error // what was answered last that is no page
}

// part is what of a page comes after it, and is asked for anew more seldom.
type part struct {
	id, path string
	every    time.Duration // 0: never again
	asked    time.Time
}

// Parts of a page, and how seldom they are asked for again, as its markup says.
var (
	partLater = regexp.MustCompile(`<div [^>]*\bdata-loads\b[^>]*>`)
	partID    = regexp.MustCompile(` id="([^"]+)"`)
	partPath  = regexp.MustCompile(` hx-get="([^"]+)"`)
	tagOf     = regexp.MustCompile(`(?s)<head>.*</head>|<[^>]*>`)
	partEvery = regexp.MustCompile(` data-every="([0-9]+)"`)
)

// load asks for all of the page, its parts too, and says how large that is.
func (t *tab) load(ctx context.Context) (size int) {
	body := t.refresh(ctx)
	t.parts = nil
	for _, tag := range partLater.FindAll(body, -1) {
		p := &part{id: in(tag, partID), path: html.UnescapeString(in(tag, partPath)), asked: time.Now()}
		whole := t.get(ctx, p.path, "HX-Target", p.id)
		seconds, _ := strconv.Atoi(in(whole, partEvery)) // none: 0
		p.every = time.Duration(seconds) * time.Second
		t.parts, size = append(t.parts, p), size+len(whole)
	}
	return size + len(body)
}

// in is what some markup says of one thing; "" if nothing.
func in(markup []byte, what *regexp.Regexp) string {
	if m := what.FindSubmatch(markup); m != nil {
		return string(m[1])
	}
	return ""
}

// refresh asks for what of the page itself changes.
func (t *tab) refresh(ctx context.Context) []byte { return t.get(ctx, t.path, "HX-Target", "main") }

// watch keeps the page open until ctx ends: whenever it is told of something, it asks anew.
func (t *tab) watch(ctx context.Context) {
	told := make(chan struct{}, 1)
	go func() {
		q := httptest.NewRequest(http.MethodGet, "http://localhost/live", nil).WithContext(ctx)
		t.pages.ServeHTTP(&heard{head: http.Header{}, news: func() {
			select {
			case told <- struct{}{}:
			default:
			}
		}}, q)
	}()
	t.load(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-told:
			t.refresh(ctx)
			t.again(ctx)
		}
	}
}

// again asks for the parts whose time has come.
func (t *tab) again(ctx context.Context) {
	for _, p := range t.parts {
		if p.every > 0 && time.Since(p.asked) >= p.every {
			p.asked = time.Now()
			t.get(ctx, p.path, "HX-Target", p.id)
		}
	}
}

// firstByte opens the page as a browser does, and says when its first byte was there.
func (t *tab) firstByte(ctx context.Context) time.Duration {
	began := time.Now()
	var first time.Duration
	w := &heard{head: http.Header{}, news: func() {
		if first == 0 {
			first = time.Since(began)
		}
	}}
	t.ask(ctx, w, t.path, "Sec-Fetch-Dest", "document")
	return first
}

func (t *tab) get(ctx context.Context, path, header, value string) []byte {
	w := &heard{head: http.Header{}}
	t.ask(ctx, w, path, header, value)
	if w.status != 0 && w.status != http.StatusOK || bytes.Contains(w.body.Bytes(), []byte(`action="/sign-in"`)) {
		t.wrong = fmt.Errorf("%s answers with status %d, and is no page of the fleet: %.200s", path, w.status, tagOf.ReplaceAll(w.body.Bytes(), nil))
	}
	return w.body.Bytes()
}

func (t *tab) ask(ctx context.Context, w http.ResponseWriter, path, header, value string) {
	q := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil).WithContext(ctx)
	q.Header.Set(header, value)
	if header == "HX-Target" {
		q.Header.Set("HX-Request", "true")
	}
	q.AddCookie(&http.Cookie{Name: "muster_session", Value: "AAAAAAAAAAAAAAAAAAAAAAAA"}) // a browser that has been here before
	t.pages.ServeHTTP(w, q)
}

// heard is an answer as it comes.
type heard struct {
	head   http.Header
	status int // 0: all is well
	body   bytes.Buffer
	news   func() // after each write; may be nil
}

func (h *heard) Header() http.Header { return h.head }
func (h *heard) WriteHeader(s int)   { h.status = s }
func (h *heard) Flush()              {}

func (h *heard) Write(b []byte) (int, error) {
	if h.news != nil {
		h.news()
	}
	return h.body.Write(b)
}
