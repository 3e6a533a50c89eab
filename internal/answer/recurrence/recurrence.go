package recurrence

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // time zones are the same wherever the program runs

	"github.com/teambition/rrule-go"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of a recurrence: a rule comes from people, and may ask for anything.
const (
	Most      = 1500                      // occurrences
	Ahead     = 3 * 366 * 24 * time.Hour  // how far a rule without an end is drawn out
	Latest    = 10 * 366 * 24 * time.Hour // how long after the first occurrence the last one may begin, and how long one without a rule lasts
	longest   = 366 * 24 * time.Hour      // of one occurrence
	mostText  = 500                       // characters of a rule
	mostApart = 1000                      // INTERVAL: days, weeks, months or years between two occurrences
)

// What of a recurrence is wrong, by the names of a zone's fields.
const (
	End      = "to"
	Rule     = "recur"
	TimeZone = "time_zone"
)

// Error says what is wrong with a recurrence.
type Error struct {
	Field string // End, Rule or TimeZone
	Text  string
}

func (e *Error) Error() string { return e.Text }

// wrong is the error that a field of a recurrence is wrong.
func wrong(field, format string, args ...any) error {
	return &Error{field, fmt.Sprintf(format, args...)}
}

// Location is a time zone; "" means UTC. Local is refused: it is another one on each machine.
func Location(zone string) (*time.Location, error) {
	if zone == "" {
		return time.UTC, nil
	}
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, wrong(TimeZone, "%.60q is no time zone of the IANA database; write it as in Europe/London", zone)
	}
	return loc, nil
}

// Spans lists the occurrences of a recurrence whose first one is given. Without a rule that is
// all; zone "" means UTC. Each occurrence begins at the same time of day in the zone, whatever
// daylight saving does, and lasts as long as the first.
func Spans(rule, zone string, first fleet.Span) ([]fleet.Span, error) {
	loc, err := Location(zone)
	if err != nil {
		return nil, err
	}
	length := first.To.Sub(first.From)
	switch {
	case length <= 0:
		return nil, wrong(End, "it ends at %s, and begins at %s; it ends after it begins", text(first.To), text(first.From))
	case length > longest && rule != "":
		return nil, wrong(End, "one occurrence lasts %s; it is at most a year", length)
	case length > Latest:
		return nil, wrong(End, "it lasts until %s; ten years are possible", text(first.To))
	case rule == "":
		return []fleet.Span{first}, nil
	}
	option, err := optionOf(rule, loc)
	if err != nil {
		return nil, err
	}
	return drawn(option, rule, loc, first, length)
}

// optionOf reads a rule, and refuses what recurs within a day.
func optionOf(rule string, loc *time.Location) (*rrule.ROption, error) {
	rule = strings.TrimPrefix(strings.TrimSpace(rule), "RRULE:")
	if len(rule) > mostText || strings.ContainsAny(rule, "\n\r") {
		return nil, wrong(Rule, "a recurrence is one line of at most %d characters", mostText)
	}
	option, err := rrule.StrToROptionInLocation(rule, loc)
	if err != nil {
		return nil, wrong(Rule, "%.80q is no recurrence rule of RFC 5545 (%v); write it as in FREQ=WEEKLY;BYDAY=FR;COUNT=10", rule, err)
	}
	if option.Freq > rrule.DAILY || len(option.Byhour)+len(option.Byminute)+len(option.Bysecond) > 0 {
		return nil, wrong(Rule, "a zone recurs daily at most; longer stretches, or several zones, say the rest")
	}
	switch {
	case len(option.Byeaster) > 0:
		return nil, wrong(Rule, "%.80q counts from Easter, which RFC 5545 does not; write the day, as in BYMONTH=4;BYMONTHDAY=3", rule)
	case option.Interval > mostApart:
		return nil, wrong(Rule, "%.80q has an interval above %d; a zone for each time says the same", rule, mostApart)
	}
	return option, nil
}

// drawn lists the occurrences, and refuses a rule that has too many or goes on for too long.
func drawn(option *rrule.ROption, rule string, loc *time.Location, first fleet.Span, length time.Duration) ([]fleet.Span, error) {
	from := first.From.Time().In(loc)
	if !option.Until.IsZero() && option.Until.Sub(from) > Latest {
		return nil, wrong(Rule, "the recurrence goes on until %s; ten years are possible", option.Until.Format(time.DateOnly))
	}
	option.Dtstart = from
	if last := from.Add(Ahead); option.Until.IsZero() && option.Count == 0 {
		option.Until = last
	}
	r, err := rrule.NewRRule(*option)
	if err != nil {
		return nil, wrong(Rule, "%.80q: %v", rule, err)
	}
	spans := []fleet.Span{first}
	for next := r.Iterator(); ; {
		at, ok := next()
		switch {
		case !ok:
			return spans, nil
		case at.Sub(from) > Latest:
			return nil, wrong(Rule, "the recurrence goes on for more than ten years; give it an earlier end")
		}
		begin := fleet.InstantOf(at)
		if begin <= first.From {
			continue
		}
		if len(spans) == Most {
			return nil, wrong(Rule, "the recurrence has more than %d occurrences; give it an earlier end", Most)
		}
		spans = append(spans, fleet.Span{From: begin, To: begin.Add(length)})
	}
}

// text is a moment as all messages say it (state/text.Weekday); this room imports no other.
func text(at fleet.Instant) string { return at.Time().UTC().Format("Mon 2006-01-02 15:04Z") }
