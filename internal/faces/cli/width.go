package cli

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// This file is where lines for people end: after at most so many columns, between
// words. Tables keep to it by themselves.

// say writes lines for people.
func (p *page) say(format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		_, _ = fmt.Fprintln(p, strings.Join(inLines(line, widest), "\n"))
	}
}

// toCopy writes a command after a word, in lines that a shell reads as one.
func (p *page) toCopy(begin, line string) {
	lines := foldShell(line, widest-columns(begin))
	_, _ = fmt.Fprintln(p, begin+strings.Join(lines, "\n"+strings.Repeat(" ", columns(begin))))
}

// inLines breaks a line between words where it is wider than it may be; what goes
// on stands a little further in. A word that is wider by itself stays whole.
func inLines(line string, width int) []string {
	indent := margin(line) + "  "
	var lines []string
	for columns(line) > width {
		at := lastBreak(line, width)
		if at < 0 {
			break
		}
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	return append(lines, line)
}

// margin is the spaces that a line begins with.
func margin(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// lastBreak is where the last space between words stands that leaves at most width
// columns before it, else the first one; -1: there is none.
func lastBreak(line string, width int) int {
	line = strings.TrimRight(line, " ")
	at, column, escape := -1, 0, false
	for i, r := range line {
		if r == ' ' && i > len(margin(line)) {
			if column > width && at >= 0 {
				return at
			}
			at = i
		}
		column, escape = advance(column, escape, r)
	}
	return at
}

// columns is how wide a text is on a terminal, colours aside.
func columns(text string) int {
	n, escape := 0, false
	for _, r := range text {
		n, escape = advance(n, escape, r)
	}
	return n
}

// advance counts a character, unless it is part of a colour.
func advance(column int, escape bool, r rune) (int, bool) {
	switch {
	case r == '\x1b':
		return column, true
	case escape:
		return column, r != 'm'
	}
	return column + cellsOf(r), false
}

// cellsOf is how many columns a character takes: two where it is a wide one (CJK, emoji), none where it stands on the one
// before it.
func cellsOf(r rune) int {
	if r < 0x300 { // nothing below is wide, and most text is
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	case width.Neutral, width.EastAsianAmbiguous, width.EastAsianNarrow, width.EastAsianHalfwidth:
	}
	return 1
}

// fitting is how many characters of a text stand in so many columns; of a text, at least one.
func fitting(text []rune, width int) int {
	taken := 0
	for i, r := range text {
		if taken += cellsOf(r); taken > width {
			return max(1, i)
		}
	}
	return len(text)
}

// shorten cuts a text to so many columns, the last of which is an ellipsis then.
func shorten(text string, width int) string {
	if columns(text) <= width {
		return text
	}
	all := []rune(text)
	return string(all[:fitting(all, width-1)]) + "…"
}

// folded lines of an error, for who reads it on a terminal.
func (e *Env) inLines(text string) string {
	if !e.ErrTerminal {
		return text
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, inLines(line, widest)...)
	}
	return strings.Join(lines, "\n")
}
