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

// fit takes room from columns until the table fits, always from the widest that has more than
// it needs: from texts, then from names, then from what both need to be read well.
func (t *table) fit(at, widths []int) {
	const well, least = 18, 10
	text, name := func(c column) bool { return !c.name }, func(c column) bool { return c.name }
	for total(widths) > widest {
		worst := t.widest(at, widths, well, text)
		if worst < 0 {
			worst = t.widest(at, widths, well, name)
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

// widest finds the widest column of a kind wider than least that gives way, or -1.
func (t *table) widest(at, widths []int, least int, is func(column) bool) int {
	worst := -1
	for i, k := range at {
		col := t.columns[k]
		if (col.cut || col.name || col.folds || col.shell) && is(col) && widths[i] > col.least(least) && (worst < 0 || widths[i] > widths[worst]) {
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
// itself, rather after a part of a name than inside one.
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

// partsIn is how much of a word stands in a line: as many whole parts of a path as it takes, else of
// a name with hyphens, or all that it takes.
func partsIn(word []rune, width int) int {
	for _, end := range "/-" {
		for n := width; n > 0; n-- {
			if word[n-1] == end {
				return n
			}
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
