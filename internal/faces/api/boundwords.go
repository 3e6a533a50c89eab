package api

import (
	"regexp"
	"strings"
)

// figure is a bound, as the words of a rule have it.
var figure = regexp.MustCompile(`-?\d+(\.\d+)?`)

// boundInWords says in words which bound of the .proto files a value is beyond, and what would be right. A rule that is
// no bound keeps the words that it has.
func boundInWords(rule, message string) string {
	kind, of, _ := strings.Cut(rule, ".")
	bounds := figure.FindAllString(message, -1)
	switch {
	case rule == "required":
		return "is missing"
	case len(bounds) == 0:
	case rule == "string.max_len":
		return "is too long; write at most " + bounds[0] + " characters"
	case rule == "string.min_len":
		return "is empty"
	case rule == "repeated.max_items":
		return "has too many entries; name at most " + bounds[0]
	case rule == "repeated.min_items":
		return "is empty; name at least " + bounds[0]
	case kind == "string" || kind == "repeated":
	case of == "gte_lte" && len(bounds) == 2:
		return "is out of range; write a number from " + bounds[0] + " to " + bounds[1]
	case of == "gte":
		return "is too small; write a number from " + bounds[0]
	}
	return message
}
