package words

import (
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// AheadExamples are moments to come, as messages show how they are written.
const AheadExamples = "friday, 'tomorrow 18:00', 2026-12-04, '2026-12-04 18:00' or 72h"

// Ahead reads a moment to come as people write it. It is a length of time from now (72h, 7d,
// 1d12h), now, a day, a date, a time of today, or a moment. A day is tomorrow or one of the week, the next of
// that name; a time may follow ("fri 18:00", "today 18:00"). A day begins at 00:00 in the zone.
func Ahead(when string, now time.Time, zone *time.Location) (at time.Time, ok bool) {
	when = strings.ToLower(strings.TrimSpace(when))
	now = now.In(zone)
	if when == "now" {
		return now, true
	}
	if d, ok := text.Length(when); ok {
		return now.Add(d), true
	}
	if at, ok := text.Moment(when, zone); ok {
		return at, true
	}
	if at, ok := text.Clock(now, when); ok {
		return at, true
	}
	day, clock, _ := strings.Cut(when, " ")
	if days, ok := daysTo(day, now.Weekday()); ok && (days > 0 || clock != "") {
		return text.AtClock(now.AddDate(0, 0, days), clock)
	}
	return time.Time{}, false
}

// WrongAhead says what is wrong with a moment to come that could not be read, for the middle of a message; "": that is
// not known.
func WrongAhead(when string, now time.Time, zone *time.Location) string {
	if strings.EqualFold(strings.TrimSpace(when), "today") {
		return "has begun; 'today 18:00' is still to come"
	}
	if at, ok := text.Back(when, now, zone); ok {
		return "is past (" + text.Weekday(at) + ")"
	}
	return text.WrongMoment(when)
}

// daysTo is how many days it is to a day that people name: 0 to 7.
func daysTo(name string, today time.Weekday) (days int, ok bool) {
	switch name {
	case "today":
		return 0, true
	case "tomorrow":
		return 1, true
	}
	day, ok := text.DayNamed(name)
	if days = int(day-today+7) % 7; days == 0 {
		days = 7
	}
	return days, ok
}

// Length reads a length of time as people write it, with days and weeks: 90s, 8h, 2d.
func Length(word string) (time.Duration, bool) { return text.Length(word) }
