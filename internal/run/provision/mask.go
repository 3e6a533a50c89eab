package provision

import (
	"slices"
	"strings"
)

// shortestSecret is how long a text is at least that is masked: a shorter one would stand
// in any text.
const shortestSecret = 6

// Masker takes known secrets out of texts. Empty and very short ones are none.
func Masker(secrets ...string) func(string) string {
	known := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < shortestSecret })
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	return func(text string) string {
		for _, s := range known {
			text = strings.ReplaceAll(text, s, "***")
		}
		return text
	}
}
