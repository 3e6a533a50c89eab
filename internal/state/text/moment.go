package text

import (
	"strings"
	"time"
)

// layouts are how a moment is written out, beside RFC 3339.
var layouts = []string{time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// Moment reads a moment that is written out: in RFC 3339, as a date, or as a date with a time. Z
// or UTC may stand after it, else it is meant in the zone. The day of the week may stand before it,
// if it is the right one. So each moment that Muster writes can be given back to it.
func Moment(text string, zone *time.Location) (at time.Time, ok bool) {
	text = strings.ToUpper(strings.TrimSpace(text))
	name, rest, _ := strings.Cut(text, " ")
	if day, ok := DayNamed(name); ok {
		at, ok := Moment(rest, zone)
		return at, ok && at.Weekday() == day
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, true
	}
	if plain := strings.TrimSuffix(strings.TrimSuffix(text, "Z"), " UTC"); plain != text {
		text, zone = plain, time.UTC
	}
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// DayNamed reads the name of a day of the week, whole or its first three letters, in any case.
func DayNamed(name string) (day time.Weekday, ok bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if whole := day.String(); strings.EqualFold(name, whole) || strings.EqualFold(name, whole[:3]) {
			return day, true
		}
	}
	return 0, false
}
