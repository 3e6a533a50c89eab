package prose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// termsOf lists the words that tables with the head "word" explain, in order.
func termsOf(text string) []string {
	var terms []string
	inside := false
	for line := range strings.Lines(text) {
		first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "| "), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case first == "word":
			inside = true
		case inside && !mdRule.MatchString(line):
			for term := range strings.SplitSeq(first, ", ") {
				terms = append(terms, strings.TrimSpace(mdCode.ReplaceAllString(term, "")))
			}
		}
	}
	return terms
}

// TestTheGlossaryHasTheContractsWords: each word has one row, and none is missing.
func TestTheGlossaryHasTheContractsWords(t *testing.T) {
	terms := map[string][]string{}
	for _, name := range []string{"docs/contract/semantics.md", "docs/glossary.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		terms[name] = termsOf(string(data))
	}
	rows := map[string]int{}
	for _, term := range terms["docs/glossary.md"] {
		rows[term]++
		if rows[term] == 2 {
			t.Errorf("docs/glossary.md explains %q twice; a word means one thing", term)
		}
	}
	for _, term := range terms["docs/contract/semantics.md"] {
		if rows[term] == 0 {
			t.Errorf("docs/glossary.md does not explain %q, a word of the contract", term)
		}
	}
	if len(rows) < 50 {
		t.Errorf("only %d words were read", len(rows))
	}
}
