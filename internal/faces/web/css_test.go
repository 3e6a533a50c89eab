package web

import (
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
