package words

import (
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Parts of sentences. Those of package text stand here as well, so that what tells an event, and
// what shows it, needs one package for its words.

// Count says how many there are of something: 1 GPU, 2 GPUs.
func Count(n int, one string) string { return text.Count(n, one) }

// Few names the first of many, and says how many more there are.
func Few(list []string, most int) string { return text.Few(list, most) }

// Work is work by name and so much more that the reader may not read: a, b and 3 others.
func Work[N ~int | ~int32](names []string, others N, most int) string {
	shown := names[:min(len(names), most)]
	switch {
	case others == 0:
		return Few(names, most)
	case len(shown) == 0:
		return text.OfOthers(others)
	}
	return strings.Join(shown, ", ") + " and " + Count(int(others)+len(names)-len(shown), "other")
}

// clock is a moment within its day.
func clock(at fleet.Instant) string { return at.Time().UTC().Format("15:04:05") }

// day is a moment that may be days away.
func day(at fleet.Instant) string { return at.Time().UTC().Format("2006-01-02 15:04Z") }

// Duration is a length of time, exactly and without empty units: 24h, 1h30m, 45s.
func Duration(d time.Duration) string { return text.Duration(d) }

// About is a length of time in at most two units: 5m20s, 3h5m, 2d4h.
func About(d time.Duration) string { return text.About(d) }

// Access says who is on the access list of a quota, naming at most so many of each kind. What
// it means to have none differs from server to server: Unlisted says it.
func Access(a fleet.Access, most int) string {
	return Listed(a.Users, a.Groups, a.Namespaces, most)
}

// Listed is Access of the parts of a list.
func Listed(users, groups, namespaces []string, most int) string {
	var parts []string
	for _, list := range []struct {
		what  string
		names []string
	}{{"users ", users}, {"groups ", groups}, {"namespaces ", namespaces}} {
		if len(list.names) > 0 {
			parts = append(parts, list.what+Few(list.names, most))
		}
	}
	if len(parts) == 0 {
		return "without an access list"
	}
	return "open to " + strings.Join(parts, "; ")
}
