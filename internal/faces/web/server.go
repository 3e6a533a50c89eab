package web

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// Options of New.
type Options = frame.Options

// Server answers the pages.
type Server struct {
	site    *frame.Site
	handler http.Handler
	styles  []byte
}

//go:embed assets
var assets embed.FS

// New makes the pages. Run must run beside it for open pages to be live.
func New(o Options) *Server {
	s := &Server{site: frame.New(o)}
	sheet, _ := assets.ReadFile("assets/app.css") // it is embedded
	s.styles = []byte(string(sheet) + draw.Stylesheet())
	s.handler = http.NewCrossOriginProtection().Handler(safe(s.routes()))
	return s
}

// ServeHTTP answers a page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Refuse shows a reader why a sign-in did not come about.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	safe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.site.Refuse(w, r, status, why) })).ServeHTTP(w, r)
}

// Run follows the journal until ctx ends, so that open pages are told of changes.
func (s *Server) Run(ctx context.Context) error { return s.site.Run(ctx) }

// policy forbids everything that is not this server's own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// safe sets the headers that protect every answer.
func safe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// files are the assets that are sent as they are.
func (s *Server) files() http.Handler {
	files, _ := fs.Sub(assets, "assets") // it is embedded
	serve := http.StripPrefix("/assets/", http.FileServerFS(files))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keep(w, r)
		serve.ServeHTTP(w, r)
	})
}

// keep lets browsers keep an asset: its address carries the version.
func keep(w http.ResponseWriter, r *http.Request) {
	rule := "public, max-age=31536000, immutable"
	if v := r.URL.Query().Get("v"); v == "" || v == "devel" {
		rule = "no-cache"
	}
	w.Header().Set("Cache-Control", rule)
}

func (s *Server) stylesheet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	keep(w, r)
	_, _ = w.Write(s.styles)
}

// glossary is what figures say on hover and focus, so that a page need not repeat it with
// each of them.
func (s *Server) glossary(w http.ResponseWriter, r *http.Request) {
	means := map[string]string{}
	for _, one := range picture.Words {
		means[one.Name] = picture.Define(one.Name)
	}
	data, _ := json.Marshal(means) // strings always can be
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	keep(w, r)
	_, _ = fmt.Fprintf(w, "window.musterWords = %s;\n", data)
}
