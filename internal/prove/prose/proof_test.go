package prose

import (
	"strings"
	"testing"
)

// said judges a file and joins what is wrong with it.
func said(t *testing.T, file, text string) string {
	t.Helper()
	faults, err := faultsOf(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var says []string
	for _, f := range faults {
		says = append(says, f.String())
	}
	return strings.Join(says, "\n")
}

var long = strings.Repeat("word ", longestSentence) + "end."

func TestEachRuleBites(t *testing.T) {
	mean := strings.Repeat("Word "+strings.Repeat("word ", longestMean)+"end. ", tenSentences)
	for _, c := range []struct{ rule, file, text, says string }{
		{"a riddle in a message", "a.go", "package a\n\nvar x = `the gang starts by no time at all`", `a.go:3: says "by no time"; write "will not start by waiting"`},
		{"a riddle in a comment", "a.go", "package a\n\n// One.\n// It asks in vain.\nvar x = 1", `a.go:4: says "in vain"`},
		{"a riddle in a test's comment", "a_test.go", "package a\n\n// Who waits is asked.\nvar x = 1", `a_test.go:3: says "Who waits"`},
		{"a riddle in a paragraph", "a.md", "# A\n\nOne line,\nand nobody reads it.", `a.md:4: says "nobody"`},
		{"a riddle in a cell", "a.md", "| a | b |\n| --- | --- |\n| x | whoever it is |", `a.md:3: says "whoever"`},
		{"a riddle in a heading", "a.md", "## Being accused", `a.md:1: says "accused"`},
		{"a riddle in a proto's comment", "a.proto", "message A {\n  // Nobody sets it.\n  int32 a = 1;\n}", `a.proto:2: says "Nobody"`},
		{"American spelling", "a.md", "The behav" + "ior of it.", `write British spelling`},
		{"a long sentence in a document", "a.md", "Short.\n\n" + long, "a.md:3: is a sentence of 41 words"},
		{"a long sentence in a comment", "a.go", "package a\n\n// " + long + "\nvar x = 1", "a.go:3: is a sentence of 41 words"},
		{"a long sentence in a message", "a.go", "package a\n\nvar x = `" + long + "`", "a.go:3: is a sentence of 41 words"},
		{"long sentences on the mean", "a.md", mean, "on the mean"},
		{"a file named for a mood", "internal/decide/vain.go", "package a", "is named for a mood"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if says := said(t, c.file, c.text); !strings.Contains(says, c.says) {
				t.Errorf("said %q, want %q in it", says, c.says)
			}
		})
	}
}

func TestWhatIsAllowedPasses(t *testing.T) {
	for rule, c := range map[string][2]string{
		"code in a document":      {"a.md", "Set `NO_COLOR`, or:\n\n```\nnobody\n```\n"},
		"a list of short items":   {"a.md", strings.Repeat("- one two three\n", 50)},
		"a table of short cells":  {"a.md", strings.Repeat("| one two three | four five six |\n", 50)},
		"a person":                {"a.go", "package a\n\n// Who may target it, and who changed it. People who run fleets read this.\nvar x = 1"},
		"names in code":           {"a.go", "package a\n\nvar nobody = `somebody`"},
		"a short name in a query": {"a.go", "package a\n\nvar x = `SELECT nobody FROM a where b is not null`"},
		"paragraphs of a comment": {"a.go", "package a\n\n// " + strings.Repeat("word ", 30) + "\n//\n// " + strings.Repeat("word ", 30) + "\nvar x = 1"},
	} {
		t.Run(rule, func(t *testing.T) {
			if says := said(t, c[0], c[1]); says != "" {
				t.Error(says)
			}
		})
	}
}
