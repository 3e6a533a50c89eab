package provision

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// shortestSecret is how long a text is at least that is masked: a shorter one would stand
// in any text.
const shortestSecret = 6

// Masker takes known secrets out of texts, also as URLs, JSON and base64 write them, and
// each line of those that have several. Empty and very short ones are none.
func Masker(secrets ...string) func(string) string {
	var known []string
	for _, s := range secrets {
		known = append(known, written(s)...)
	}
	known = slices.DeleteFunc(known, func(s string) bool { return len(s) < shortestSecret })
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	return func(text string) string {
		for _, s := range known {
			text = strings.ReplaceAll(text, s, "***")
		}
		return text
	}
}

// written lists the ways in which others write a secret.
func written(secret string) []string {
	quoted, _ := json.Marshal(secret) // never fails: it is a string
	list := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(quoted), `"`),
		base64.StdEncoding.EncodeToString([]byte(secret)),
	}
	for line := range strings.Lines(secret) {
		list = append(list, strings.TrimSpace(line))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
