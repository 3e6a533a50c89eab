package recurrence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/recurrence"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func at(t *testing.T, text string) fleet.Instant {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return fleet.InstantOf(parsed)
}

// Clocks go forward in London on 29 March 2026, and back on 25 October.
func TestAZoneKeepsItsTimeOfDayWhenClocksChange(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		want           []string
	}{
		{"forward", "2026-03-28T18:00:00Z", "2026-03-28T20:00:00Z", []string{"2026-03-28T18:00:00Z", "2026-03-29T17:00:00Z", "2026-03-30T17:00:00Z"}},
		{"back", "2026-10-24T17:00:00Z", "2026-10-24T19:00:00Z", []string{"2026-10-24T17:00:00Z", "2026-10-25T18:00:00Z", "2026-10-26T18:00:00Z"}},
	} {
		spans, err := recurrence.Spans("FREQ=DAILY;COUNT=3", "Europe/London", fleet.Span{From: at(t, c.from), To: at(t, c.to)})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if spans[i].From != at(t, want) || spans[i].To != at(t, want).Add(2*time.Hour) {
				t.Errorf("%s: occurrence %d is from %s to %s, and should begin at %s", c.name, i+1, spans[i].From.Time(), spans[i].To.Time(), want)
			}
		}
	}
}

func TestWeekdaysAreThoseOfTheZone(t *testing.T) {
	// Friday 23:30 in New York is Saturday in UTC.
	spans, err := recurrence.Spans("FREQ=WEEKLY;BYDAY=FR;COUNT=2", "America/New_York", fleet.Span{From: at(t, "2026-01-10T04:30:00Z"), To: at(t, "2026-01-10T06:00:00Z")})
	if err != nil || len(spans) != 2 || spans[1].From != at(t, "2026-01-17T04:30:00Z") {
		t.Errorf("the second Friday is %v (%v)", spans, err)
	}
}

func TestARuleWithoutEndIsDrawnOutThreeYears(t *testing.T) {
	first := fleet.Span{From: at(t, "2026-01-02T00:00:00Z"), To: at(t, "2026-01-03T00:00:00Z")}
	spans, err := recurrence.Spans("FREQ=WEEKLY", "", first)
	if err != nil || len(spans) != 157 {
		t.Errorf("%d weeks (%v), not 157", len(spans), err)
	}
}

func TestBadRecurrencesAreRefused(t *testing.T) {
	first := fleet.Span{From: at(t, "2026-01-02T00:00:00Z"), To: at(t, "2026-01-03T00:00:00Z")}
	for _, c := range []struct{ name, rule, zone, says string }{
		{"an unknown zone", "FREQ=DAILY;COUNT=2", "Europe/Atlantis", "no time zone"},
		{"the machine's zone", "", "Local", "no time zone"},
		{"a hundred years", "FREQ=WEEKLY;UNTIL=21260101T000000Z", "", "ten years"},
		{"every second", "FREQ=SECONDLY", "", "daily at most"},
		{"many a day", "FREQ=DAILY;BYHOUR=1,2,3;COUNT=9", "", "daily at most"},
		{"more than can be kept", "FREQ=DAILY;COUNT=99999", "", "1500"},
		{"a day that counts from Easter", "FREQ=YEARLY;BYEASTER=400", "", "Easter"},
		{"an interval beyond all calendars", "FREQ=DAILY;INTERVAL=9223372036854775807", "", "interval"},
		{"no rule", "every friday", "", "RFC 5545"},
	} {
		if spans, err := recurrence.Spans(c.rule, c.zone, first); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d spans, and the message is %v; it should say %q", c.name, len(spans), err, c.says)
		}
	}
	if _, err := recurrence.Spans("", "", fleet.Span{From: first.To, To: first.From}); err == nil || !strings.Contains(err.Error(), "ends after it begins") {
		t.Errorf("a zone that ends before it begins: %v", err)
	}
	for years, fits := range map[int]bool{9: true, 100: false} {
		long := fleet.Span{From: first.From, To: fleet.InstantOf(first.From.Time().AddDate(years, 0, 0))}
		if _, err := recurrence.Spans("", "", long); fits != (err == nil) || !fits && !strings.Contains(err.Error(), "ten years are possible") {
			t.Errorf("one stretch of %d years: %v", years, err)
		}
	}
	// A date that never comes ends at once, whatever the rule.
	if spans, err := recurrence.Spans("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "", first); err != nil || len(spans) != 1 {
		t.Errorf("the 30th of February: %v (%v)", spans, err)
	}
}
