package cli

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLinesEndBetweenWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"one two three", []string{"one two", "  three"}},
		{"  one two three four", []string{"  one two", "    three", "    four"}},
		{"short", []string{"short"}},
		{"averyverylongword", []string{"averyverylongword"}},
		{"averyverylongword two", []string{"averyverylongword", "  two"}},
		{"\x1b[31mone\x1b[0m two six", []string{"\x1b[31mone\x1b[0m two", "  six"}},
		{"a  1   2  b  3", []string{"a  1   2", "  b  3"}},
	} {
		if got := inLines(c.line, 10); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
}

// No word is lost, and a line is too wide only where one word is.
func TestNoWordIsLostWhereLinesEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOf(rapid.StringMatching("[a-zü ]{0,14}")).Draw(t, "words"), " ")
		width := rapid.IntRange(8, 40).Draw(t, "width")
		lines := inLines(line, width)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(line); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q has become %q", want, got)
		}
		for _, l := range lines {
			if columns(l) > width && len(strings.Fields(l)) > 1 {
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
	})
}
