package words

import (
	"testing"
	"time"
)

func TestMomentsToComeAreReadAsPeopleWriteThem(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	now := time.Date(2026, 11, 23, 10, 30, 0, 0, time.UTC) // a Monday
	for text, want := range map[string]string{
		"friday":                "2026-11-27T00:00:00+01:00",
		"Fri 18:00":             "2026-11-27T18:00:00+01:00",
		"monday":                "2026-11-30T00:00:00+01:00",
		"tomorrow":              "2026-11-24T00:00:00+01:00",
		"today 18:00":           "2026-11-23T18:00:00+01:00",
		"tomorrow 9:30":         "2026-11-24T09:30:00+01:00",
		"2026-12-04":            "2026-12-04T00:00:00+01:00",
		"2026-12-04 18:00":      "2026-12-04T18:00:00+01:00",
		"2026-12-04T18:00":      "2026-12-04T18:00:00+01:00",
		"2026-12-04T18:00:00Z":  "2026-12-04T19:00:00+01:00",
		"2026-12-04 18:00Z":     "2026-12-04T19:00:00+01:00",
		"2026-12-04T18:00Z":     "2026-12-04T19:00:00+01:00",
		"2026-12-04 18:00 UTC":  "2026-12-04T19:00:00+01:00",
		"2026-12-04 18:00:30Z":  "2026-12-04T19:00:30+01:00",
		"Fri 2026-12-04 18:00Z": "2026-12-04T19:00:00+01:00",
		"friday 2026-12-04":     "2026-12-04T00:00:00+01:00",
		"72h":                   "2026-11-26T11:30:00+01:00",
		"3d":                    "2026-11-26T11:30:00+01:00",
		"1d12h":                 "2026-11-24T23:30:00+01:00",
		"2w":                    "2026-12-07T11:30:00+01:00",
		"now":                   "2026-11-23T11:30:00+01:00",
	} {
		if at, ok := Ahead(text, now, berlin); !ok || at.In(berlin).Format(time.RFC3339) != want {
			t.Errorf("%q: %v %v, not %s", text, at, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "frida", "friday 25:00", "-3d", "-1h", "today", "yesterday", "2026-13-01", "thursday 2026-12-04", "tomorrow 2026-11-24", "2026-12-04 Z", "2026-12-04 18:00ZZ", "d", "99999999999d"} {
		if at, ok := Ahead(text, now, berlin); ok {
			t.Errorf("%q was read as %v", text, at)
		}
	}
}
