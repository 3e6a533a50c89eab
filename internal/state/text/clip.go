package text

import (
	"strings"
	"unicode/utf8"
)

// Quoted is how many characters of a text from outside a message repeats.
const Quoted = 80

// Clip shortens a text to at most so many characters, the last of which is an
// ellipsis then. What is no valid UTF-8 is replaced.
func Clip(s string, most int) string {
	count, end := 0, 0 // end: where the character stands that the ellipsis replaces
	for at := range s {
		if count == most-1 {
			end = at
		}
		if count++; count > most {
			return strings.ToValidUTF8(s[:end], "\uFFFD") + "…"
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Bound shortens a text to at most so many bytes, for a limit that counts these.
// It ends before a character that would be cut.
func Bound(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := max(0, most)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
