package recurrence_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/recurrence"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// FuzzSpans draws out any text as a rule: it is refused, or it becomes some occurrences in order.
func FuzzSpans(f *testing.F) {
	for _, rule := range []string{
		"FREQ=DAILY;COUNT=3", "FREQ=YEARLY;BYEASTER=400", "FREQ=MONTHLY;BYDAY=-1FR;BYSETPOS=-1", "FREQ=YEARLY;BYWEEKNO=53;WKST=SU",
		"FREQ=WEEKLY;UNTIL=20260901T000000Z", "RRULE:FREQ=DAILY;INTERVAL=0", "FREQ=YEARLY;BYYEARDAY=-366", "FREQ=DAILY;DTSTART=00010101T000000Z",
	} {
		f.Add(rule, "Europe/London")
	}
	from := fleet.InstantOf(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	f.Fuzz(func(t *testing.T, rule, zone string) {
		spans, err := recurrence.Spans(rule, zone, fleet.Span{From: from, To: from.Add(time.Hour)})
		if err != nil {
			return
		}
		if len(spans) == 0 || len(spans) > recurrence.Most {
			t.Fatalf("%d occurrences", len(spans))
		}
		for i := 1; i < len(spans); i++ {
			if spans[i].From <= spans[i-1].From || spans[i].To <= spans[i].From || spans[i].From.Sub(from) > recurrence.Latest {
				t.Fatalf("occurrence %d is %v, after %v", i, spans[i], spans[i-1])
			}
		}
	})
}
