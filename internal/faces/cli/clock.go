package cli

import (
	"regexp"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// clock says moments: those of today by their time, others with their day. Lengths of time count to or from the
// moment that is asked about.
type clock struct {
	now  time.Time
	zone *time.Location
	asOf time.Time // the moment that is asked about; zero: now
}

// at is the moment that is asked about.
func (c clock) at() time.Time {
	if c.asOf.IsZero() {
		return c.now
	}
	return c.asOf
}

func (c clock) moment(at time.Time) string {
	at, now := at.In(c.zone), c.now.In(c.zone)
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format("2006-01-02 15:04")
}

// written is a moment as the server writes it into a text, in UTC.
var written = regexp.MustCompile(`([A-Z][a-z]{2} )?\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?Z`)

// inZone says the moments in a text of the server as it says all others.
func (c clock) inZone(said string) string {
	return written.ReplaceAllStringFunc(said, func(word string) string {
		at, ok := text.Moment(word, time.UTC)
		if !ok {
			return word
		}
		if said := c.moment(at); strings.Count(word, ":") > 1 || len(said) != len(time.TimeOnly) {
			return said
		}
		return at.In(c.zone).Format("15:04") // the text says no seconds
	})
}

// ago says how long ago a moment was.
func (c clock) ago(at time.Time) string { return short(c.at().Sub(at)) }

// until says how long it is to a moment.
func (c clock) until(at time.Time) string {
	if d := at.Sub(c.at()); d > 0 {
		return "in " + short(d)
	}
	return "now"
}

// weekday says a moment with its day of the week, in UTC.
func weekday(at time.Time) string { return text.Weekday(at) }
