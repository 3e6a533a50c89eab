package words

import (
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Count says how many there are of something: 1 GPU, 2 GPUs.
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// Few names the first of many, and says how many more there are.
func Few(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + " and " + strconv.Itoa(len(list)-most) + " more"
}

// clock is a moment within its day.
func clock(at fleet.Instant) string { return at.Time().UTC().Format("15:04:05") }

// day is a moment that may be days away.
func day(at fleet.Instant) string { return at.Time().UTC().Format("2006-01-02 15:04Z") }

// Duration is a length of time without the zeros at its end: 24h, 1h30m, 45s.
func Duration(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if strings.HasSuffix(s, "h"+zero) || strings.HasSuffix(s, "m"+zero) {
			s = strings.TrimSuffix(s, zero)
		}
	}
	return s
}

// Access says who may target a quota, naming at most so many of each kind.
func Access(a fleet.Access, most int) string {
	if a.Open() {
		return "open to everyone"
	}
	var parts []string
	for _, list := range []struct {
		what  string
		names []string
	}{{"users ", a.Users}, {"groups ", a.Groups}, {"namespaces ", a.Namespaces}} {
		if len(list.names) > 0 {
			parts = append(parts, list.what+Few(list.names, most))
		}
	}
	return "open to " + strings.Join(parts, "; ")
}
