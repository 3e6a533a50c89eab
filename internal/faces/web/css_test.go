package web

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Paper is white: what a dark page colours anew, print colours back.
func TestPrintResetsEveryColourOfTheDark(t *testing.T) {
	data, err := assets.ReadFile("assets/app.css")
	if err != nil {
		t.Fatal(err)
	}
	sheet := string(data)
	_, dark, _ := strings.Cut(sheet, ":root[data-theme=dark] {")
	dark, _, _ = strings.Cut(dark, "}")
	paper := sheet[strings.LastIndex(sheet, "@media print"):]
	names := regexp.MustCompile(`--[a-z-]+:`).FindAllString(dark, -1)
	if len(names) < 10 {
		t.Fatalf("the dark page has %d colours", len(names))
	}
	for _, name := range names {
		if !strings.Contains(paper, name) {
			t.Errorf("print does not set %s", name)
		}
	}
}

// A table is wider than a narrow screen, or may be: each stands in a box that scrolls, so that the page does not.
func TestEveryTableStandsInABoxThatScrolls(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".templ" {
			return err
		}
		data, err := os.ReadFile(path)
		before := ""
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "<table") {
				if found++; !strings.Contains(before, `class="table`) {
					t.Errorf("%s: %s stands in no box of class table, but behind %s", path, line, before)
				}
			}
			if line != "" {
				before = line
			}
		}
		return err
	})
	if err != nil || found < 40 {
		t.Fatalf("%d tables were found: %v", found, err)
	}
}
