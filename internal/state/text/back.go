package text

import (
	"strconv"
	"strings"
	"time"
)

// BackExamples are moments of the past, as messages show how they are written.
const BackExamples = "yesterday, 'monday 18:00', 2026-11-21, '2026-11-21 18:00', 2026-11-21T12:00:00Z, or 2h for two hours ago"

// Back reads a moment of the past as people write it. It is a length of time before now (2h, 7d, "3d ago"), now, a
// day, a date, a time, or a moment. A day is today, yesterday or one of the week, the last of that name before today; a
// time may follow ("yesterday 18:00"). A time alone is the last such moment. A day begins at 00:00 in the zone.
func Back(when string, now time.Time, zone *time.Location) (at time.Time, ok bool) {
	when = strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(when)), " ago"), "last ")
	now = now.In(zone)
	if when == "now" {
		return now, true
	}
	if d, ok := Length(when); ok {
		return now.Add(-d), true
	}
	if at, ok := Moment(when, zone); ok {
		return at, true
	}
	if at, ok := Clock(now, when); ok {
		if at.After(now) {
			at = at.AddDate(0, 0, -1)
		}
		return at, true
	}
	day, clock, _ := strings.Cut(when, " ")
	if days, ok := daysSince(day, now.Weekday()); ok {
		return AtClock(now.AddDate(0, 0, -days), clock)
	}
	return time.Time{}, false
}

// daysSince is how many days ago a day was that people name: 0 to 7.
func daysSince(name string, today time.Weekday) (days int, ok bool) {
	switch name {
	case "today":
		return 0, true
	case "yesterday":
		return 1, true
	}
	day, ok := DayNamed(name)
	if days = int(today-day+7) % 7; days == 0 {
		days = 7
	}
	return days, ok
}

// AtClock is a time of a day; "": its beginning.
func AtClock(day time.Time, clock string) (time.Time, bool) {
	if clock != "" {
		return Clock(day, clock)
	}
	y, m, d := day.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, day.Location()), true
}

// Clock is a time of a day, as in 18:00 or 18:00:30.
func Clock(day time.Time, clock string) (time.Time, bool) {
	y, m, d := day.Date()
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.Parse(layout, clock); err == nil {
			return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, day.Location()), true
		}
	}
	return time.Time{}, false
}

// mostHours bounds a length of time: a hundred years.
const mostHours = 100 * 365 * 24

// Length reads a Go duration that may begin with days or weeks.
func Length(text string) (d time.Duration, ok bool) {
	for unit, hours := range map[string]float64{"w": 7 * 24, "d": 24} {
		number, rest, found := strings.Cut(text, unit)
		n, err := strconv.ParseFloat(number, 64)
		if !found || err != nil || strings.Trim(number, "0123456789.") != "" || n*hours > mostHours {
			continue
		}
		more, ok := time.Duration(0), true
		if rest != "" {
			more, ok = Length(rest)
		}
		return time.Duration(n*hours*float64(time.Hour)) + more, ok
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}
