package text

import (
	"strconv"
	"strings"
	"unicode"
)

// formulaStarts are the characters with which spreadsheets begin a formula.
const formulaStarts = "=+-@"

// Cell returns a text that is safe in a cell of CSV or of a spreadsheet. Control characters
// become blanks. A text that a spreadsheet would read as a formula gets a leading quote;
// numbers, and "-", stay as they are.
func Cell(s string) string {
	s = strings.Map(SafeRune, s)
	if s == "" || s == "-" || !strings.ContainsRune(formulaStarts, rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// SafeRune returns a character that a terminal shows and does not obey, for strings.Map. A
// blank takes the place of control characters, and of those that are invisible or turn the
// direction of text.
func SafeRune(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return ' '
	}
	return r
}
