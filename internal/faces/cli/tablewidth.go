package cli

import (
	"strings"
	"unicode/utf8"
)

// widest is how many columns of a terminal a table takes.
const widest = 100

func (t *table) widths(at []int, c clock, wide bool) []int {
	widths := make([]int, len(at))
	for i, k := range at {
		widths[i] = utf8.RuneCountInString(t.columns[k].title(wide))
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(human(row[k], c)))
		}
	}
	return widths
}

// fit takes room from columns that may be cut until the table fits: from paths
// first, whose ends tell most, and always from the widest.
func (t *table) fit(at, widths []int) {
	const enough, least = 18, 10
	for total(widths) > widest {
		worst := t.widest(at, widths, enough, func(c column) bool { return c.path })
		if worst < 0 {
			worst = t.widest(at, widths, least, func(c column) bool { return !c.last })
		}
		if worst < 0 {
			worst = t.widest(at, widths, least, func(column) bool { return true })
		}
		if worst < 0 {
			return
		}
		widths[worst]--
	}
}

// widest finds the widest column of a kind wider than least that may be cut, or -1.
func (t *table) widest(at, widths []int, least int, is func(column) bool) int {
	worst := -1
	for i, k := range at {
		col := t.columns[k]
		if (col.cut || col.last || col.folds) && is(col) && widths[i] > col.least(least) && (worst < 0 || widths[i] > widths[worst]) {
			worst = i
		}
	}
	return worst
}

// least is how far the column may shrink: one that folds keeps room for most words.
func (col column) least(usual int) int {
	if col.folds {
		return max(usual, 16)
	}
	return usual
}

func total(widths []int) int {
	n := 2 * (len(widths) - 1)
	for _, w := range widths {
		n += w
	}
	return n
}

// fold breaks a text into lines of at most width: between words, and inside one that is longer by
// itself, rather after a part of a path than inside one.
func fold(text string, width int) []string {
	var lines []string
	line := []rune{}
	for _, word := range strings.Fields(text) {
		rest := []rune(word)
		if len(line) > 0 && len(line)+1+len(rest) > width {
			lines, line = append(lines, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for len(rest) > width && width > 0 {
			n := partsIn(rest, width)
			lines, rest = append(lines, string(rest[:n])), rest[n:]
		}
		line = append(line, rest...)
	}
	return append(lines, string(line))
}

// partsIn is how much of a word stands in a line: as many whole parts of a path as it takes, or all that it takes.
func partsIn(word []rune, width int) int {
	for n := width; n > 0; n-- {
		if word[n-1] == '/' {
			return n
		}
	}
	return width
}

func pad(text string, width int, right bool) string {
	gap := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if right {
		return gap + text
	}
	return text + gap
}
