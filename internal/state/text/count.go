package text

import (
	"strconv"
	"strings"
)

// Count is a number with its word, to which many add an s: 1 GPU, 2 GPUs.
func Count[N ~int | ~int32 | ~int64](n N, one string) string { return Counted(n, one, one+"s") }

// Counted is a number with its word for one or for many: 1 entry, 2 entries.
func Counted[N ~int | ~int32 | ~int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Group(n) + " " + many
}

// Group is a number whose digits stand in threes: 12,345.
func Group[N ~int | ~int32 | ~int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Few names the first of many, and says how many more there are: a, b and 3 more.
func Few(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + " and " + strconv.Itoa(len(list)-most) + " more"
}

// Verb is the form of a verb that goes with a number: 1 is, 2 are.
func Verb[N ~int | ~int32 | ~int64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
