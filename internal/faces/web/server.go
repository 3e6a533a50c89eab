package web

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/state/event"
)

// Options of New.
type Options struct {
	API     http.Handler                                                              // answers the API; pages ask it in process
	Watch   func(ctx context.Context, from uint64, fn func(event.Record) error) error // what happens, from a record on
	Last    func() uint64                                                             // the last record there is
	Log     *slog.Logger                                                              // nil: nothing is logged
	Version string                                                                    // of the binary: browsers keep assets as long as it is the same
	Now     func() time.Time                                                          // nil: time.Now
	SignIn  bool                                                                      // readers bring a token; otherwise whoever reaches the server is known
}

// Server answers the pages.
type Server struct {
	o       Options
	client  *client.Client
	handler http.Handler
	secret  []byte
	feed    *feed
	heads   heads

	fragments        fragments
	turns, partTurns turns // of pages, and of parts that come later
	styles           []byte
	began            struct {
		sync.Mutex
		at time.Time // the first record's moment; zero: not known yet
	}
}

//go:embed assets
var assets embed.FS

// New makes the pages. Run must run beside them, so that they are live.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{o: o, secret: make([]byte, 32), feed: newFeed(), turns: newTurns(), partTurns: newTurns()}
	_, _ = rand.Read(s.secret) // it never fails
	kept := newCache(newInside(o.API), o.Last)
	kept.changed = s.feed.again
	s.fragments.last, s.fragments.changed = o.Last, s.feed.again
	s.client = client.New(client.Options{Address: "http://muster", HTTPClient: &http.Client{Transport: kept}, Retries: -1})
	sheet, _ := assets.ReadFile("assets/app.css")
	s.styles = []byte(string(sheet) + draw.Stylesheet())
	s.handler = s.routes()
	return s
}

// ServeHTTP answers a page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Run follows what happens until ctx ends, so that open pages learn of it.
func (s *Server) Run(ctx context.Context) error {
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

// pages says which page answers which path, and which part of one.
var pages = map[string]pageFunc{
	"GET /{$}":                               fleetPage,
	"GET /run":                               runPage,
	"GET /workloads":                         workloadsPage,
	"GET /workload/{namespace}/{name}":       workloadPage,
	"GET /workload/{namespace}/{name}/why":   whyPart,
	"GET /workload/{namespace}/{name}/help":  helpPart,
	"GET " + placesPath:                      runPage,
	"GET " + stairsPath:                      runPage,
	"GET /workload/{namespace}/{name}/story": storyPart,
	"GET /partition/{cluster}/{gpu}":         partitionPage,
	"GET /queue":                             queuePage,
	"GET /teams":                             teamsPage,
	"GET /team/{path...}":                    teamPage,
	"GET /part/timeline":                     timelinePart,
	"GET /haircuts":                          haircutsPage,
	"GET /part/compare":                      comparePart,
	"GET /haircut/{name}":                    haircutPage,
	"GET /haircut/{name}/{step}":             stepPage,
	"GET /promise":                           promisePage,
	"GET /promise/broken/{record}":           brokenPage,
	"GET /part/broken":                       brokenPart,
	"GET /coming":                            comingPage,
	"GET " + frontierPath:                    promisePage,
	"GET /nodes":                             nodesPage,
	"GET /node/{name}":                       nodePage,
	"GET /events":                            eventsPage,
	"GET " + ladderPath:                      queuePage,
	"GET /shadow/{cluster}":                  shadowPage,
	"GET " + shadowPath:                      shadowPart,
	"GET " + keptPath:                        keptPart,
	"GET " + islandsPath:                     islandPromises,
	"GET /style":                             stylePage,
	"GET /words":                             wordsPage,
	"/":                                      nowhere,
}

// routes says who answers which path.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, fn := range pages {
		mux.Handle(pattern, s.page(fn))
	}
	mux.HandleFunc("GET /haircut-export", s.exportHaircut)
	mux.Handle("POST /haircuts", s.change(saveHaircut))
	mux.Handle("POST /haircut/{name}/{step}", s.change(doHaircut))
	mux.HandleFunc("GET /live", s.live)
	mux.HandleFunc("POST /sign-in", s.signIn)
	mux.HandleFunc("POST /sign-out", s.signOut)
	mux.HandleFunc("GET /assets/app.css", s.stylesheet)
	mux.HandleFunc("GET /assets/words.js", s.dictionary)
	files, _ := fs.Sub(assets, "assets")
	mux.Handle("GET /assets/", s.kept(http.StripPrefix("/assets/", http.FileServerFS(files))))
	return http.NewCrossOriginProtection().Handler(s.safe(mux))
}

// policy keeps everything out that is not this server's own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// safe sets what protects every answer.
func (s *Server) safe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// kept lets browsers keep assets: their addresses carry the version.
func (s *Server) kept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", s.keep(r))
		next.ServeHTTP(w, r)
	})
}

func (s *Server) keep(r *http.Request) string {
	if v := r.URL.Query().Get("v"); v == "" || v == "devel" {
		return "no-cache"
	}
	return "public, max-age=31536000, immutable"
}

func (s *Server) stylesheet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", s.keep(r))
	_, _ = w.Write(s.styles)
}

// dictionary is what the hovers of figures say, so that a page need not say it with
// each of them.
func (s *Server) dictionary(w http.ResponseWriter, r *http.Request) {
	means := map[string]string{}
	for _, one := range picture.Words {
		means[one.Name] = picture.Define(one.Name)
	}
	data, _ := json.Marshal(means) // strings always can be
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", s.keep(r))
	_, _ = fmt.Fprintf(w, "window.musterWords = %s;\n", data)
}
