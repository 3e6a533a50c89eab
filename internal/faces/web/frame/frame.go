package web

import (
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// frame is what all pages share: who reads, which moment it is about, and what
// everybody must see.
type frame struct {
	v        *visit
	actor    string
	operator bool
	version  uint64    // of the state that it was made from
	at       time.Time // the moment that it is about
	live     bool
	from, to time.Time // the log
	banners  []string
	stale    []string // clusters whose reports have stopped
	flash    string
	theme    string
	assets   string
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
	{"Events", "/events", "events"},
}

func (v *visit) frame(p page) (frame, error) {
	f := frame{v: v, at: v.at(), live: v.asOf == nil && !p.still, to: v.now, from: v.begin(), theme: v.theme(), flash: v.flash(), assets: v.o.Version}
	h, err := v.heads.of(v)
	if err != nil {
		return f, err
	}
	f.actor, f.operator, f.version, f.banners = h.status.GetActor(), h.status.GetOperator(), h.status.GetSeen().GetVersion(), h.status.GetBanners()
	if v.asOf == nil {
		f.stale = h.stale
	}
	return f, nil
}

// begin is the moment of the first record; now where there is none.
func (v *visit) begin() time.Time {
	v.Server.began.Lock()
	defer v.Server.began.Unlock()
	if !v.Server.began.at.IsZero() {
		return v.Server.began.at
	}
	r, err := v.Events.ListEvents(v.ctx, &musterv1.ListEventsRequest{From: 1, Limit: 1})
	if err != nil || len(r.GetRecords()) == 0 {
		return v.now
	}
	v.Server.began.at = r.GetRecords()[0].GetAt().AsTime()
	return v.Server.began.at
}

func (v *visit) theme() string {
	if c, err := v.r.Cookie("muster_theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// name is the reader without what kind of reader it is.
func (f frame) name() string {
	_, name, ok := strings.Cut(f.actor, ":")
	if !ok {
		return f.actor
	}
	return name
}

// nowAddress is this page, live.
func (f frame) nowAddress() string { return f.v.here("as-of", "") }

// clock writes a moment as pages do: in UTC, with the day where it is not today's.
func clock(t, now time.Time) string {
	t = t.UTC()
	switch {
	case t.IsZero():
		return "–"
	case t.Format("2006-01-02") == now.UTC().Format("2006-01-02"):
		return t.Format("15:04:05")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006 15:04")
}

// lasted writes a duration as people say it.
func lasted(d time.Duration) string {
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return d.Truncate(time.Second).String()
	case d < time.Hour:
		return strings.TrimSuffix(d.Truncate(time.Second).String(), "0s")
	case d < 48*time.Hour:
		return strings.TrimSuffix(strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s"), "0m")
	}
	days := int(d / (24 * time.Hour))
	hours := int(d/time.Hour) % 24
	if hours == 0 || days > 9 {
		return plain(days) + "d"
	}
	return plain(days) + "d" + plain(hours) + "h"
}
