package text

import (
	"strconv"
	"strings"
	"unicode"
)

// Cell is a text for a cell of CSV or of a spreadsheet: nothing in it steers a terminal, and
// no spreadsheet takes it for a formula. A number stays one.
func Cell(s string) string {
	s = strings.Map(Printable, s)
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) || s == "-" {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// Printable is a character that steers nothing, or a blank in its place: control
// characters do, and those that turn the direction of text or hide.
func Printable(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return ' '
	}
	return r
}
