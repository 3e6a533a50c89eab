package web

import (
	"net/http"

	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/coming"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/fleet"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/haircut"
	"github.com/muster-fleet/muster/internal/faces/web/incident"
	"github.com/muster-fleet/muster/internal/faces/web/node"
	"github.com/muster-fleet/muster/internal/faces/web/partition"
	"github.com/muster-fleet/muster/internal/faces/web/promise"
	"github.com/muster-fleet/muster/internal/faces/web/queue"
	"github.com/muster-fleet/muster/internal/faces/web/reference"
	"github.com/muster-fleet/muster/internal/faces/web/run"
	"github.com/muster-fleet/muster/internal/faces/web/shadow"
	"github.com/muster-fleet/muster/internal/faces/web/team"
	"github.com/muster-fleet/muster/internal/faces/web/workload"
)

// routes says who answers which address.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	page := func(pattern string, fn frame.PageFunc) { mux.Handle("GET "+pattern, s.site.Page(fn)) }
	form := func(pattern string, fn frame.FormFunc) { mux.Handle("POST "+pattern, s.site.Form(fn)) }

	page("/{$}", fleet.Page)
	page("/partition/{cluster}/{gpu}", partition.Page)
	page("/shadow/{cluster}", shadow.Page)
	page("/part/shadow", shadow.Part)
	page("/part/uptime", fleet.Uptime)
	page("/coming", coming.Page)

	page("/run", run.Page)
	page("/part/places", run.Page)
	page("/part/stairs", run.Page)
	page("/workloads", workload.List)
	page("/workload/{namespace}/{name}", workload.Page)
	page("/workload/{namespace}/{name}/why", workload.Why)
	page("/workload/{namespace}/{name}/help", workload.Help)
	page("/workload/{namespace}/{name}/story", workload.Story)
	page("/queue", queue.Page)
	page("/part/ladder", queue.Page)

	page("/teams", team.List)
	page("/team/{path...}", team.Page)
	page("/part/timeline", team.Timeline)
	page("/part/kept", team.Kept)

	page("/haircuts", haircut.List)
	page("/part/compare", haircut.Compare)
	page("/haircut/{name}", haircut.Page)
	page("/haircut/{name}/{step}", haircut.Step)
	form("/haircuts", haircut.Save)
	form("/haircut/{name}/{step}", haircut.Do)
	mux.Handle("GET /haircut-export", s.site.File(haircut.Export))

	page("/promise", promise.Page)
	page("/part/frontier", promise.Page)
	page("/part/promise-islands", promise.Islands)
	page("/promise/broken/{record}", promise.Broken)
	page("/part/broken", promise.BrokenPart)

	page("/nodes", node.List)
	page("/node/{name}", node.Page)
	page("/incidents", incident.List)
	page("/incident/{name}", incident.Page)
	page("/events", events.Page)
	page("/style", reference.Style)
	page("/words", reference.Words)

	page("/do/{action}", change.Page)
	form("/do/{action}", change.Do)

	mux.HandleFunc("GET /live", s.site.Live)
	mux.HandleFunc("POST /sign-in", s.site.SignIn)
	mux.HandleFunc("POST /sign-out", s.site.SignOut)
	mux.HandleFunc("GET /assets/app.css", s.stylesheet)
	mux.HandleFunc("GET /assets/words.js", s.glossary)
	mux.Handle("GET /assets/", s.files())
	mux.Handle("/", s.site.Page(frame.Nowhere))
	return mux
}
