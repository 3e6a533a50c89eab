package frame

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// Page is what a page says; layout.templ draws what stands around it.
type Page struct {
	Title   string
	Nav     string // the entry of the navigation that it belongs to
	Lead    string // one sentence under the title
	Command string // gives the same figures on the command line
	Crumbs  []Crumb
	Still   bool // it does not change by itself
	Part    bool // it is a part of a page that comes later: its body is all of it
	Status  int  // 0: 200
	Body    templ.Component
	About   []string // the clusters (tiger), partitions (tiger/h200) and quotas (OfQuota) that it is about, or TheFleet: their warnings stand on it

	late bool // only the frame: the figures come later
}

// Crumb is a page above this one.
type Crumb struct{ Text, Path string }

// Under is the pages above a page, from the top: texts and paths in turn.
func Under(textsAndPaths ...string) (list []Crumb) {
	for i := 0; i+1 < len(textsAndPaths); i += 2 {
		list = append(list, Crumb{Text: textsAndPaths[i], Path: textsAndPaths[i+1]})
	}
	return list
}

// The entries of the navigation.
var navigation = []struct{ name, path, key string }{
	{"Fleet", "/", "fleet"},
	{"Can I run?", "/run", "run"},
	{"Workloads", "/workloads", "workloads"},
	{"Teams", "/teams", "teams"},
	{"Haircut", "/haircuts", "haircuts"},
	{"Promise", "/promise", "promise"},
	{"Nodes", "/nodes", "nodes"},
	{"Maintenance", "/maintenance", "maintenance"},
	{"Build-out", "/build-out", "buildout"},
	{"Events", "/events", "events"},
}

// frame is what stands around a page: who reads it, which moment it is about, and what
// everybody must see.
type frame struct {
	v        *Visit
	actor    string
	operator bool
	version  uint64    // of the state that it was made from
	at       time.Time // the moment that it is about
	live     bool
	from, to time.Time // of the journal
	banners  []Banner  // all there are
	here     []Banner  // those that stand on this page
	stale    []string  // clusters whose reports have stopped
	flash    string
	theme    string
	assets   string // version of the assets
}

// frame makes what stands around a page.
func (v *Visit) frame(p Page) (frame, error) {
	f := frame{v: v, at: v.At(), live: v.AsOf == nil && !p.Still, to: v.Now, from: v.Begin(), theme: v.theme(), flash: v.flash(), assets: v.site.o.Version}
	h, err := v.site.heads.of(v)
	if err != nil {
		return f, err
	}
	f.know(h)
	f.here = concerning(f.banners, p.About)
	if v.AsOf == nil {
		f.stale = h.stale
	} else {
		f.here = ofTheFleet(f.here)
	}
	return f, nil
}

// know adds who reads, and what everybody must see.
func (f *frame) know(h head) {
	f.actor, f.operator, f.version, f.banners = h.status.GetActor(), h.status.GetOperator(), h.status.GetSeen().GetVersion(), markSeen(h.banners, h.status.GetWarnings())
}

// show renders a page: whole, or what of it changes where an open page asks.
func (v *Visit) show(p Page) {
	if p.Part {
		v.head()
		v.render(p.Body)
		return
	}
	f, err := v.frame(p)
	if err != nil {
		v.fail(err)
		return
	}
	v.head()
	v.Writer.Header().Add("Vary", "HX-Request")
	if p.Status != 0 {
		v.Writer.WriteHeader(p.Status)
	}
	whole := layout(f, p)
	if isRefresh(v.Request) {
		whole = fragment(f, p)
	}
	v.render(whole)
}

// head says that HTML follows, which no cache keeps.
func (v *Visit) head() {
	v.Writer.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.Writer.Header().Set("Cache-Control", "no-store")
}

func (v *Visit) render(c templ.Component) {
	if err := c.Render(v.Ctx, v.Writer); err != nil {
		v.site.o.Log.Debug("a page was not read to its end", "path", v.Request.URL.Path, "error", err)
	}
}

func (v *Visit) theme() string {
	if c, err := v.Request.Cookie("muster_theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// name is the reader's name, without what kind of reader it is.
func (f frame) name() string {
	_, name, ok := strings.Cut(f.actor, ":")
	if !ok {
		return f.actor
	}
	return name
}

// slider is the position of the slider, from 0 to 1000: the one nearest to the page's
// moment. Only a live page stands at its right end.
func (f frame) slider() string {
	all := f.to.Sub(f.from)
	if f.v.AsOf == nil || all <= 0 {
		return "1000"
	}
	return parts.Plain(int(max(0, min(999, math.Round(1000*f.at.Sub(f.from).Seconds()/all.Seconds())))))
}

// others are the names and values of the address besides the moment.
func (f frame) others() (list [][2]string) {
	q := f.v.Request.URL.Query()
	names := make([]string, 0, len(q))
	for name := range q {
		if name != "as-of" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range q[name] {
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

func (f frame) staleText() string {
	verb := " do"
	if len(f.stale) == 1 {
		verb = " does"
	}
	return strings.Join(f.stale, ", ") + verb + " not report; the figures are the last known"
}

// withMoment adds the page's moment to a command.
func (f frame) withMoment(command string) string {
	if f.v.AsOf == nil {
		return command
	}
	return command + " --as-of " + parts.Stamp(f.at)
}

// triggers says when a page asks for its figures anew.
func triggers(p Page) string {
	if p.late {
		return "load, changed"
	}
	return "changed"
}

// waiting is a page's address for who reads without scripts.
func waiting(here string) string {
	if strings.Contains(here, "?") {
		return here + "&wait=yes"
	}
	return here + "?wait=yes"
}
