package words

import (
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// AheadExamples are moments to come, as messages show how they are written.
const AheadExamples = "friday, 'tomorrow 18:00', 2026-12-04, '2026-12-04 18:00' or 72h"

// Ahead reads a moment to come as people write it. It is a length of time from now (72h, 7d,
// 1d12h), now, a day, a date, or a moment. A day is tomorrow or one of the week, the next of
// that name; a time may follow ("fri 18:00"). A day begins at 00:00 in the zone.
func Ahead(when string, now time.Time, zone *time.Location) (at time.Time, ok bool) {
	when = strings.ToLower(strings.TrimSpace(when))
	now = now.In(zone)
	if when == "now" {
		return now, true
	}
	if d, ok := length(when); ok {
		return now.Add(d), true
	}
	if at, ok := text.Moment(when, zone); ok {
		return at, true
	}
	day, clock, _ := strings.Cut(when, " ")
	if days, ok := daysTo(day, now.Weekday()); ok {
		return atClock(now.AddDate(0, 0, days), clock)
	}
	return time.Time{}, false
}

// mostHours bounds a length of time: a hundred years.
const mostHours = 100 * 365 * 24

// length reads a Go duration that may begin with days or weeks.
func length(text string) (d time.Duration, ok bool) {
	for unit, hours := range map[string]float64{"w": 7 * 24, "d": 24} {
		number, rest, found := strings.Cut(text, unit)
		n, err := strconv.ParseFloat(number, 64)
		if !found || err != nil || strings.Trim(number, "0123456789.") != "" || n*hours > mostHours {
			continue
		}
		more, ok := time.Duration(0), true
		if rest != "" {
			more, ok = length(rest)
		}
		return time.Duration(n*hours*float64(time.Hour)) + more, ok
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}

// daysTo is how many days it is to a day that people name: 1 to 7.
func daysTo(name string, today time.Weekday) (days int, ok bool) {
	if name == "tomorrow" {
		return 1, true
	}
	day, ok := text.DayNamed(name)
	if days = int(day-today+7) % 7; days == 0 {
		days = 7
	}
	return days, ok
}

// atClock is a time of a day; "": its beginning.
func atClock(day time.Time, clock string) (time.Time, bool) {
	y, m, d := day.Date()
	if clock == "" {
		return time.Date(y, m, d, 0, 0, 0, 0, day.Location()), true
	}
	t, err := time.Parse("15:04", clock)
	return time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, day.Location()), err == nil
}
