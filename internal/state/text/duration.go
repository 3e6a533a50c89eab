package text

import (
	"strconv"
	"strings"
	"time"
)

// fewDays is where lengths of time begin to be told in days: below it hours are
// easier to compare (24h, 36h).
const fewDays = 48 * time.Hour

// manyDays is where hours no longer matter to About.
const manyDays = 10 * 24 * time.Hour

// Duration is a length of time, exactly and without empty units: 45s, 5m20s,
// 24h, 2d4h30m. Muster reads it back where it reads a length of time.
func Duration(d time.Duration) string {
	if d < 0 {
		return "-" + Duration(-d)
	}
	days, rest := time.Duration(0), d
	if d >= fewDays {
		days, rest = d/(24*time.Hour), d%(24*time.Hour)
	}
	var b strings.Builder
	for _, part := range []struct {
		count time.Duration
		unit  string
	}{{days, "d"}, {rest / time.Hour, "h"}, {rest / time.Minute % 60, "m"}} {
		if part.count > 0 {
			b.WriteString(strconv.FormatInt(int64(part.count), 10) + part.unit)
		}
	}
	if seconds := rest % time.Minute; seconds > 0 || b.Len() == 0 {
		b.WriteString(seconds.String())
	}
	return b.String()
}

// About is a length of time in at most two units: 45s, 5m20s, 12m, 3h5m, 2d4h,
// 12d. It is rounded to the nearest unit that is told.
func About(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + About(-d)
	case d.Round(time.Second) < 10*time.Minute:
		return Duration(d.Round(time.Second))
	case d < fewDays:
		return Duration(d.Round(time.Minute))
	case d < manyDays:
		return Duration(d.Round(time.Hour))
	}
	return Duration(d.Round(24 * time.Hour))
}

// Weekday is a moment with its day of the week, in UTC: Fri 2026-12-04 00:00Z. People read
// the day, and can reckon with the rest.
func Weekday(t time.Time) string { return t.UTC().Format("Mon 2006-01-02 15:04Z") }

// WeekdayExact is Weekday to the second.
func WeekdayExact(t time.Time) string { return t.UTC().Format("Mon 2006-01-02 15:04:05Z") }
