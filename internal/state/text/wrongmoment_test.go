package text

import "testing"

func TestAMomentThatCannotBeReadIsToldWhatIsWrongWithIt(t *testing.T) {
	for word, want := range map[string]string{
		"2026-13-01":      "has month 13, and a year has 12",
		"2026-02-30":      "has day 30, and February 2026 has 28",
		"2026-2-3":        "needs two digits for the month and the day",
		"01.12.2026":      "has its date in another form",
		"12/01/2026":      "has its date in another form",
		"25:00":           "has the time 25:00, and a day goes from 00:00 to 23:59",
		"monday 25:00":    "has the time 25:00, and a day goes from 00:00 to 23:59",
		"9999999h":        "is too far; a hundred years is the most",
		"next friday":     "may be read in two ways; friday alone is the next day of that name",
		"tomorow":         "may mean tomorrow",
		"Tusday":          "may mean tuesday",
		"soon":            "",
		"in three months": "",
	} {
		if got := WrongMoment(word); got != want {
			t.Errorf("%s %q, want %q", word, got, want)
		}
	}
}
