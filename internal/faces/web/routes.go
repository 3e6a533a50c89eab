package web

import (
	"net/http"

	"github.com/muster-fleet/muster/internal/faces/web/buildout"
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/coming"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/fleet"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/haircut"
	"github.com/muster-fleet/muster/internal/faces/web/incident"
	"github.com/muster-fleet/muster/internal/faces/web/maintenance"
	"github.com/muster-fleet/muster/internal/faces/web/node"
	"github.com/muster-fleet/muster/internal/faces/web/partition"
	"github.com/muster-fleet/muster/internal/faces/web/promise"
	"github.com/muster-fleet/muster/internal/faces/web/queue"
	"github.com/muster-fleet/muster/internal/faces/web/reference"
	"github.com/muster-fleet/muster/internal/faces/web/run"
	"github.com/muster-fleet/muster/internal/faces/web/session"
	"github.com/muster-fleet/muster/internal/faces/web/shadow"
	"github.com/muster-fleet/muster/internal/faces/web/team"
	"github.com/muster-fleet/muster/internal/faces/web/workload"
)

// pages are who answers which address; a page is one row.
var pages = []struct {
	pattern string
	page    frame.PageFunc
}{
	{"/{$}", fleet.Page},
	{"/partition/{cluster}/{gpu}", partition.Page},
	{"/shadow/{cluster}", shadow.Page},
	{"/part/shadow", shadow.Part},
	{"/part/uptime", fleet.Uptime},
	{"/coming", coming.Page},

	{"/build-out", buildout.Board},
	{"/build-out/{cluster}", buildout.Life},
	{"/part/cluster-log", buildout.Log},
	{"/cloud-quota", buildout.Ledger},

	{"/run", run.Page},
	{"/part/places", run.Page},
	{"/part/stairs", run.Page},
	{"/workloads", workload.List},
	{"/workload/{namespace}/{name}", workload.Page},
	{"/workload/{namespace}/{name}/why", workload.Why},
	{"/workload/{namespace}/{name}/help", workload.Help},
	{"/workload/{namespace}/{name}/story", workload.Story},
	{"/queue", queue.Page},
	{"/part/ladder", queue.Page},

	{"/teams", team.List},
	{"/team/{path...}", team.Page},
	{"/part/timeline", team.Timeline},
	{"/part/kept", team.Kept},
	{"/part/evictions", team.Evictions},

	{"/haircuts", haircut.List},
	{"/part/compare", haircut.Compare},
	{"/haircut/{name}", haircut.Page},
	{"/haircut/{name}/{step}", haircut.Step},

	{"/promise", promise.Page},
	{"/part/frontier", promise.Page},
	{"/part/promise-islands", promise.Islands},
	{"/promise/broken", promise.BrokenList},
	{"/promise/broken/{record}", promise.Broken},
	{"/part/broken", promise.BrokenPart},

	{"/nodes", node.List},
	{"/node/{name}", node.Page},
	{"/maintenance", maintenance.Page},
	{"/rollout/{name}", maintenance.Rollout},
	{"/part/rollout-end", maintenance.RolloutEnd},
	{"/zone/{name}", maintenance.Zone},
	{"/drift", maintenance.Drift},
	{"/incidents", incident.List},
	{"/incident/{name}", incident.Page},
	{"/events", events.Page},
	{"/sessions", session.Page},
	{"/style", reference.Style},
	{"/words", reference.Words},

	{"/do/{action}", change.Page},
}

// routes lets every address be answered.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	form := func(pattern string, fn frame.FormFunc) { mux.Handle("POST "+pattern, s.site.Form(fn)) }

	for _, p := range pages {
		mux.Handle("GET "+p.pattern, s.site.Page(p.page))
	}
	form("/haircuts", haircut.Save)
	form("/haircut/{name}/{step}", haircut.Do)
	mux.Handle("GET /haircut-export", s.site.File(haircut.Export))
	mux.Handle("GET /maintenance.ics", s.site.File(maintenance.Calendar))
	form("/do/{action}", change.Do)

	mux.HandleFunc("GET /live", s.site.Live)
	mux.HandleFunc("POST /sign-in", s.site.SignIn)
	mux.HandleFunc("POST /sign-out", s.site.SignOut)
	mux.HandleFunc("GET /assets/app.css", s.stylesheet)
	mux.HandleFunc("GET /assets/words.js", s.glossary)
	mux.Handle("GET /assets/", s.files())
	mux.Handle("/", s.site.Nowhere())
	return mux
}
