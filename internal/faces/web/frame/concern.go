package frame

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/faces/draw"
)

// A warning stands, in red, on the pages that are about what it is about, and on every page where it is about the whole
// fleet. All other pages count it, and lead to the page that has all of them: who always sees red stops looking.

// TheFleet is what a page is about that has everything, and a warning that concerns everything.
const TheFleet = "the fleet"

// allWarnings is where every warning stands.
const allWarnings = "/nodes#banners"

// OfQuota is a quota, as what a page or a warning is about.
func OfQuota(path string) string { return "quota " + path }

// concerns says whether a warning is about what a page is about, or about something within it.
func (b Banner) concerns(page []string) bool {
	return slices.ContainsFunc(b.About, func(of string) bool {
		return of == TheFleet || slices.ContainsFunc(page, func(scope string) bool {
			return scope == TheFleet || scope != "" && (of == scope || strings.HasPrefix(of, scope+"/"))
		})
	})
}

// concerning are the warnings that stand on a page.
func concerning(all []Banner, page []string) (here []Banner) {
	for _, b := range all {
		if b.concerns(page) {
			here = append(here, b)
		}
	}
	return here
}

// ofTheFleet are the warnings about the whole fleet and its server. Only these stand on a page about the past: the others say how
// it is now, beside figures of then.
func ofTheFleet(all []Banner) (list []Banner) {
	for _, b := range all {
		if slices.Contains(b.About, TheFleet) {
			list = append(list, b)
		}
	}
	return list
}

// unseen is how many of some warnings are not acknowledged.
func unseen(list []Banner) (n int) {
	for _, b := range list {
		if !b.seen() {
			n++
		}
	}
	return n
}

// standing is how many warnings are not acknowledged, in all of the fleet.
func (f frame) standing() int { return unseen(f.banners) }

// alarms says whether a warning that is not acknowledged stands on this page.
func (f frame) alarms() bool { return unseen(f.here) > 0 }

// warnings is where those stand that are counted: below this page, if it has them all.
func (f frame) warnings() string {
	if unseen(f.here) == f.standing() {
		return "#banners"
	}
	return f.allOfThem()
}

// allOfThem is where all warnings stand: on a page about now, as they are.
func (f frame) allOfThem() string {
	if f.v.AsOf != nil {
		return allWarnings
	}
	return f.v.To(allWarnings)
}

// counted says how many warnings there are; on a page about the past, that they are of now.
func (f frame) counted(n int) string {
	if f.v.AsOf != nil {
		return draw.Count(n, "warning") + " now"
	}
	return draw.Count(n, "warning")
}

// first says the first warning of this page that is not acknowledged, and how many more there
// are; "": there is none.
func (f frame) first() string {
	n := unseen(f.here)
	for _, b := range f.here {
		switch {
		case b.seen():
		case n > 1:
			return draw.Count(n, "warning") + ", the first: " + b.Text
		default:
			return "Warning: " + b.Text
		}
	}
	return ""
}

// elsewhere says how many warnings that are not acknowledged stand on other pages; "": none does.
func (f frame) elsewhere() string {
	n := f.standing() - unseen(f.here)
	switch {
	case n == 0:
		return ""
	case f.v.AsOf != nil:
		return f.counted(n) + ", not at the moment that this page is about"
	case len(f.here) == 0:
		return draw.Count(n, "warning") + " about other parts of the fleet"
	}
	return draw.Number(n) + " more about other parts of the fleet"
}
