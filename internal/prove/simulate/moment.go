package simulate

import (
	"fmt"
	"time"
)

// momentLayouts are the ways to write a moment, the exact one first.
var momentLayouts = []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

// ParseMoment reads a moment of a simulation: an RFC 3339 time, or a date with
// or without a time of day, read as UTC. A date alone is its first moment.
func ParseMoment(text string) (time.Time, error) {
	for _, layout := range momentLayouts {
		if t, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no moment; write 2017-11-30, \"2017-11-30 23:59:00\" or 2017-11-30T23:59:00Z", text)
}
