package web

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

func plain(n int) string { return strconv.Itoa(n) }

// source is where a figure comes from: a page that says more, or what its word means.
func source(v *visit, word, path string) templ.SafeURL {
	if path != "" {
		return templ.SafeURL(path)
	}
	return templ.SafeURL(v.to("/words") + "#" + picture.Anchor(word))
}

// slid is where the slider stands, from 0 to 1000: the nearest place to the moment, so that a step from
// there leads on; only what is live stands at its right end.
func (f frame) slid() string {
	all := f.to.Sub(f.from)
	if f.v.asOf == nil || all <= 0 {
		return "1000"
	}
	return plain(int(max(0, min(999, math.Round(1000*f.at.Sub(f.from).Seconds()/all.Seconds())))))
}

// others are names and values of the address beside the moment.
func (f frame) others() (list [][2]string) {
	q := f.v.r.URL.Query()
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
	if f.v.asOf == nil {
		return command
	}
	return command + " --as-of " + stamp(f.at)
}

// scopeText names what an incident covers.
func scopeText(scope string) string {
	if scope == "" {
		return "in the fleet"
	}
	return "in " + scope
}

// safeLink says whether somebody's link may be followed.
func safeLink(link string) bool {
	return strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")
}

func orNobody(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

// holdsWord is the word for how GPUs are held; usage where nothing is said.
func holdsWord(holds string) string {
	switch holds {
	case "guaranteed", "borrowing", "unprotected", "flex":
		return holds
	}
	return "usage"
}
