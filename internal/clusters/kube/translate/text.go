package translate

import "strings"

// toValid makes a text valid UTF-8 without control characters.
func toValid(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
