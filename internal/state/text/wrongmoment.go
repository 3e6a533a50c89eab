package text

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	dated    = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})\b`)
	otherDay = regexp.MustCompile(`^\d{1,4}[./]\d{1,2}[./]\d{1,4}\b`)
	clocked  = regexp.MustCompile(`^(.*?) ?\b(\d{1,2}):(\d{2})(:\d{2})?$`)
	lasting  = regexp.MustCompile(`^\d+(\.\d+)?(w|d|h|m|s)( ago)?$`)
)

// WrongMoment says what is wrong with a moment that could not be read, for the middle of a message; "": that is
// not known.
func WrongMoment(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if m := dated.FindStringSubmatch(word); m != nil {
		return wrongDate(m[1], m[2], m[3])
	}
	if otherDay.MatchString(word) {
		return "has its date in another form"
	}
	if m := clocked.FindStringSubmatch(word); m != nil {
		return wrongClock(m[2], m[3])
	}
	if lasting.MatchString(word) {
		return "is too far; a hundred years is the most"
	}
	return wrongDay(word)
}

// wrongDate says of a date that there is no such month, or no such day.
func wrongDate(years, months, days string) string {
	year, _ := strconv.Atoi(years)
	month, _ := strconv.Atoi(months)
	day, _ := strconv.Atoi(days)
	if month < 1 || month > 12 {
		return fmt.Sprintf("has month %d, and a year has 12", month)
	}
	if most := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day(); day < 1 || day > most {
		return fmt.Sprintf("has day %d, and %s %d has %d", day, time.Month(month), year, most)
	}
	if len(months) < 2 || len(days) < 2 {
		return "needs two digits for the month and the day"
	}
	return ""
}

// wrongClock says of a time that no day has it; "": a day has.
func wrongClock(hours, minutes string) string {
	if hour, _ := strconv.Atoi(hours); hour > 23 || minutes > "59" {
		return fmt.Sprintf("has the time %s:%s, and a day goes from 00:00 to 23:59", hours, minutes)
	}
	return ""
}

// wrongDay says which day may be meant by a word.
func wrongDay(word string) string {
	first, rest, _ := strings.Cut(word, " ")
	if _, is := DayNamed(rest); is && (first == "next" || first == "this") {
		return fmt.Sprintf("may be read in two ways; %s alone is the next day of that name", rest)
	}
	known := []string{"today", "yesterday", "tomorrow"}
	for day := time.Sunday; day <= time.Saturday; day++ {
		known = append(known, strings.ToLower(day.String()))
	}
	if near := Nearest(first, known); near != "" && near != first && len(first) > 3 {
		return "may mean " + near
	}
	return ""
}
