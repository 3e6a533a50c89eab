package prose

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	target  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	scheme  = regexp.MustCompile(`^(https?|mailto):`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchorsOf lists the anchors that GitHub gives the headings of a Markdown file.
func anchorsOf(text string) map[string]bool {
	found, fenced := map[string]bool{}, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if heading := strings.TrimLeft(line, "#"); !fenced && heading != line {
			found[anchorOf(strings.TrimSpace(heading))] = true
		}
	}
	return found
}

// anchorOf is small letters, without punctuation, with a dash for each space.
func anchorOf(heading string) string {
	heading = mdLink.ReplaceAllString(heading, "$1")
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// brokenLinks lists links of a file to files and headings that are not there.
func brokenLinks(file, text string, read func(name string) (string, bool)) []fault {
	var found []fault
	text = mdCode.ReplaceAllStringFunc(text, blanked)
	for _, m := range target.FindAllStringSubmatchIndex(text, -1) {
		link := text[m[2]:m[3]]
		if scheme.MatchString(link) {
			continue
		}
		line := 1 + strings.Count(text[:m[0]], "\n")
		name, anchor, _ := strings.Cut(link, "#")
		to := file
		if name != "" {
			to = path.Join(path.Dir(file), name)
		}
		there, is := read(to)
		switch {
		case !is:
			found = append(found, fault{file, line, sprintf("links to %s, which is not there", link)})
		case anchor != "" && !anchorsOf(there)[anchor]:
			found = append(found, fault{file, line, sprintf("links to %s, and %s has no such heading", link, to)})
		}
	}
	return found
}

// onDisk reads a file from the root; a folder is there and empty.
func onDisk(name string) (string, bool) {
	data, err := os.ReadFile(filepath.Join(root, name))
	if err == nil {
		return string(data), true
	}
	info, err := os.Stat(filepath.Join(root, name))
	return "", err == nil && info.IsDir()
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	count := 0
	for name, data := range prose(t) {
		if path.Ext(name) != ".md" {
			continue
		}
		count++
		for _, f := range brokenLinks(name, string(data), onDisk) {
			t.Error(f)
		}
	}
	if count < 20 {
		t.Errorf("only %d documents were read", count)
	}
}

func TestALinkThatLeadsNowhereIsFound(t *testing.T) {
	read := func(name string) (string, bool) {
		text, is := map[string]string{"docs/a.md": "# The house\n## `muster up`, and what it does\n"}[name]
		return text, is
	}
	for text, wrong := range map[string]bool{
		"[a](a.md)": false, "[a](#the-house)": false, "[a](a.md#muster-up-and-what-it-does)": false, "[a](https://example.org)": false, "`[a](b.md)`": false,
		"[a](b.md)": true, "[a](a.md#attic)": true, "[a](#attic)": true, "![a](a.svg)": true,
	} {
		if got := len(brokenLinks("docs/a.md", text, read)) > 0; got != wrong {
			t.Errorf("%q is wrong: %v, want %v", text, got, wrong)
		}
	}
}

// A page that is longer than a screen says at its head what it has.
const (
	screen       = 60 // lines
	manyHeadings = 4  // headings
)

// withoutContents are pages that a program makes whole, or that are read from one end.
var withoutContents = []string{"docs/conformance.md", "docs/metrics.md", "CHANGELOG.md", "README.md"}

// unlisted lists headings of a long page that its head does not link to.
func unlisted(file, text string) []fault {
	head, _, _ := strings.Cut(text, "\n## ")
	var found []fault
	var headings []string
	for line := range strings.Lines(text) {
		if heading, is := strings.CutPrefix(line, "## "); is {
			headings = append(headings, strings.TrimSpace(heading))
		}
	}
	if strings.Count(text, "\n") < screen || len(headings) < manyHeadings {
		return nil
	}
	for _, heading := range headings {
		if !strings.Contains(head, "](#"+anchorOf(heading)+")") {
			found = append(found, fault{file, 1, sprintf("is longer than a screen, and its head does not link to %q", heading)})
		}
	}
	return found
}

func TestLongPagesHaveContents(t *testing.T) {
	for name, data := range prose(t) {
		left := slices.Contains(withoutContents, name) || strings.HasPrefix(name, "docs/adr/") || strings.HasPrefix(name, "docs/figures/") || strings.HasPrefix(name, "scenarios/")
		if path.Ext(name) != ".md" || left {
			continue
		}
		for _, f := range unlisted(name, string(data)) {
			t.Error(f)
		}
	}
}

func TestALongPageWithoutContentsIsFound(t *testing.T) {
	page := "# A\n\n%s\n" + strings.Repeat("\ntext\n", screen) + "\n## One\n\n## Two\n\n## Three\n\n## Four, and more\n"
	if got := unlisted("a.md", sprintf(page, "")); len(got) != 4 {
		t.Errorf("without contents: %v", got)
	}
	if got := unlisted("a.md", sprintf(page, "[One](#one) [Two](#two) [Three](#three) [Four](#four-and-more)")); len(got) != 0 {
		t.Errorf("with contents: %v", got)
	}
}
