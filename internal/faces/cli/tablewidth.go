package cli

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// widest is how many columns of a terminal a table takes.
const widest = 100

func (t *table) widths(at []int, c clock, wide bool) []int {
	widths := make([]int, len(at))
	for i, k := range at {
		widths[i] = max(columns(t.columns[k].title(wide)), t.cells(k, c))
	}
	return widths
}

// cells is how wide the values of a column are.
func (t *table) cells(k int, c clock) (width int) {
	for _, row := range t.rows {
		width = max(width, columns(human(row[k], c)))
	}
	return width
}

// squeeze takes room from columns of a kind, each down to what is the least for it.
type squeeze struct {
	is    func(column) bool
	least func(room) int
}

// room is how much of it a column needs.
type room struct {
	head  int // so that its head stands in one line
	cells int // so that no value of it goes on in the next line
	words int // so that no word is broken
	parts int // so that no part of a word is broken: of a path, of a list, of a name with hyphens
	least int // that it has, however wide the table is then
}

// well is a width in which a text is read well.
const well = 18

// squeezes are in the order in which room is taken: first of prose that goes on in the next line, then of heads of
// several words. What breaks words comes last.
var squeezes = []squeeze{
	{column.isCut, func(r room) int { return max(well, r.head) }},
	{column.isText, func(r room) int { return max(30, r.head, r.parts) }},
	{column.isAny, func(r room) int { return r.cells }},
	{column.isCut, func(r room) int { return max(12, r.parts) }},
	{column.isText, func(r room) int { return max(well, r.parts) }},
	{column.isPlain, func(r room) int { return r.words }},
	{column.isName, func(r room) int { return max(well, r.parts) }},
	{column.isText, func(r room) int { return max(10, r.parts) }},
	{column.isLeft, func(r room) int { return r.parts }},
	{column.isLeft, func(room) int { return 10 }},
	{column.isLeft, func(room) int { return 5 }},
}

func (column) isAny() bool { return true }

// isText says whether a column is prose, which gives way first.
func (col column) isText() bool { return col.isLeft() && !col.name && !col.isPlain() }

// isCut says whether a column is shortened where it is too wide.
func (col column) isCut() bool { return col.isText() && col.cut && !col.folds }

// isName says whether a column is of what people copy.
func (col column) isName() bool { return col.isLeft() && col.name }

// isPlain says whether a column has words and moments: it is as wide as they are, where there is room.
func (col column) isPlain() bool {
	return col.isLeft() && !col.cut && !col.folds && !col.shell && !col.name
}

// isLeft says whether a column may go on in the next line. Numbers do not.
func (col column) isLeft() bool { return !col.right }

// layout is which columns are shown, how wide each is, and which of them stand under their row, in order.
func (t *table) layout(c clock, wide bool) (at, widths, below []int) {
	at = t.shown(c, wide)
	if widths = t.widths(at, c, wide); wide {
		return at, widths, nil
	}
	for narrow := t.fit(at, widths, c); narrow || t.breaks(at, widths, c); narrow = t.fit(at, widths, c) {
		last := t.lastAside(at)
		if last < 0 {
			break
		}
		below = slices.Insert(below, 0, at[last])
		at = slices.Delete(slices.Clone(at), last, last+1)
		widths = t.widths(at, c, wide)
	}
	return at, widths, below
}

// lastAside is the last column that may stand under its row; -1: none may.
func (t *table) lastAside(at []int) int {
	for i, k := range slices.Backward(at) {
		if t.columns[k].under || t.columns[k].aside != "" {
			return i
		}
	}
	return -1
}

// breaks says whether a name goes on in the next line of a table that has columns to spare for it.
func (t *table) breaks(at, widths []int, c clock) bool {
	for i, k := range at {
		if t.columns[k].name && widths[i] < t.cells(k, c) {
			return slices.ContainsFunc(t.columns, func(col column) bool { return col.aside != "" })
		}
	}
	return false
}

// fit takes room from columns until the table fits, always from the widest of a kind. It says whether there is too
// little, so that names are broken or the table is wider than a terminal.
func (t *table) fit(at, widths []int, c clock) (narrow bool) {
	rooms := make([]room, len(at))
	for i, k := range at {
		rooms[i] = t.room(k, c)
	}
	for _, s := range squeezes {
		for total(widths) > widest {
			worst := -1
			for i, k := range at {
				if s.is(t.columns[k]) && widths[i] > max(s.least(rooms[i]), rooms[i].least) && (worst < 0 || widths[i] > widths[worst]) {
					worst = i
				}
			}
			if worst < 0 {
				break
			}
			widths[worst]--
		}
	}
	for i, k := range at {
		narrow = narrow || t.columns[k].name && widths[i] < rooms[i].parts
	}
	return narrow || total(widths) > widest
}

// room is how much a column needs. A head goes on in the next line between its words.
func (t *table) room(k int, c clock) room {
	col := t.columns[k]
	head := longest(strings.Fields(col.title(false)))
	r := room{head: columns(col.title(false)), cells: max(head, t.cells(k, c)), words: head, parts: head}
	for _, row := range t.rows {
		if col.cut && !col.name {
			break // it is shortened
		}
		fields := strings.Fields(human(row[k], c))
		r.words, r.parts = max(r.words, longest(fields)), max(r.parts, longest(partsOf(row[k], fields, t.ends())))
	}
	switch {
	case t.whole && col.shell:
		r.least = r.cells
	case t.whole:
		r.least = r.parts
	}
	return r
}

// ends are the signs after which a word may end a line.
func (t *table) ends() string {
	if t.whole {
		return ","
	}
	return ",/-"
}

// partsOf are the parts of words between which a line may end. Moments have none.
func partsOf(value any, words []string, ends string) (parts []string) {
	if _, ok := value.(*timestamppb.Timestamp); ok {
		return words
	}
	for _, word := range words {
		for {
			at := strings.IndexAny(word, ends) + 1
			if at == 0 {
				break
			}
			parts, word = append(parts, word[:at]), word[at:]
		}
		parts = append(parts, word)
	}
	return parts
}

// longest is how long the longest of some words is.
func longest(words []string) (n int) {
	for _, word := range words {
		n = max(n, columns(word))
	}
	return n
}

func total(widths []int) int {
	n := 2 * (len(widths) - 1)
	for _, w := range widths {
		n += w
	}
	return n
}

// fold breaks a text into lines of at most width: between words, and inside one that is longer by
// itself, rather after a part of a name than inside one. Whole, a word ends a line only after an entry of a list.
func fold(text string, width int, whole bool) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		rest := []rune(word)
		if line != "" && columns(line)+1+columns(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		for columns(string(rest)) > width && width > 0 {
			n := partsIn(rest, width, whole)
			if n == len(rest) {
				break
			}
			lines, rest = append(lines, string(rest[:n])), rest[n:]
		}
		line += string(rest)
	}
	return append(lines, line)
}

// partsIn is how much of a word stands in a line: as many whole entries of a list as it takes, else parts of
// a path, else of a name, or all that it takes. Whole, it is at least one entry of a list.
func partsIn(word []rune, width int, whole bool) int {
	most := fitting(word, width)
	for _, ends := range []string{",", "/", "-", "_.:@=+"} {
		for n := most; n > 0; n-- {
			if strings.ContainsRune(ends, word[n-1]) {
				return n
			}
		}
		if at := slices.Index(word, ','); whole && at >= 0 {
			return at + 1
		} else if whole {
			return len(word)
		}
	}
	return most
}

func pad(text string, width int, right bool) string {
	gap := strings.Repeat(" ", max(0, width-columns(text)))
	if right {
		return gap + text
	}
	return text + gap
}
