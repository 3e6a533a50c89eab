package text

import (
	"testing"
	"time"
)

func TestMomentsOfThePastAreReadAsPeopleWriteThem(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	now := time.Date(2026, 11, 23, 23, 30, 0, 0, time.UTC) // a Monday; in Berlin a Tuesday
	for text, want := range map[string]string{
		"today":                "2026-11-24T00:00:00+01:00",
		"today 0:15":           "2026-11-24T00:15:00+01:00",
		"Yesterday":            "2026-11-23T00:00:00+01:00",
		"yesterday 18:00":      "2026-11-23T18:00:00+01:00",
		"monday":               "2026-11-23T00:00:00+01:00",
		"last monday":          "2026-11-23T00:00:00+01:00",
		"tue":                  "2026-11-17T00:00:00+01:00",
		"friday 9:30":          "2026-11-20T09:30:00+01:00",
		"2026-11-20":           "2026-11-20T00:00:00+01:00",
		"2026-11-20 18:00Z":    "2026-11-20T19:00:00+01:00",
		"2026-11-20T18:00:00Z": "2026-11-20T19:00:00+01:00",
		"0:15":                 "2026-11-24T00:15:00+01:00",
		"0:29:59":              "2026-11-24T00:29:59+01:00",
		"18:27":                "2026-11-23T18:27:00+01:00",
		"2h":                   "2026-11-23T22:30:00+01:00",
		"2d ago":               "2026-11-22T00:30:00+01:00",
		"1d12h":                "2026-11-22T12:30:00+01:00",
		"2w":                   "2026-11-10T00:30:00+01:00",
		"now":                  "2026-11-24T00:30:00+01:00",
	} {
		if at, ok := Back(text, now, berlin); !ok || at.In(berlin).Format(time.RFC3339) != want {
			t.Errorf("%q: %v %v, not %s", text, at, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "tomorrow", "yesterd", "yesterday 25:00", "last", "last week", "-3d", "ago", "thursday 2026-12-04"} {
		if at, ok := Back(text, now, berlin); ok {
			t.Errorf("%q was read as %v", text, at)
		}
	}
}
