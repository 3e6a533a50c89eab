package words

import "strings"

// Shell is a command line of these words: what a shell would not read as one plain
// word is quoted, so that a copied line runs what it says and nothing else.
func Shell(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" || strings.ContainsFunc(w, special) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// special says whether a shell may mean something else by a character than itself.
func special(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("!\"#$&'()*;<>?[\\]^`{|}~", r)
}
