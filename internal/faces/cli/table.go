package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// column is one column of a table.
type column struct {
	head  string
	brief string // the head for people, where it is shorter
	right bool   // numbers
	wide  bool   // only with -o wide and csv
	spare bool   // left out where it is empty in every row
	cut   bool   // may be shortened to fit
	folds bool   // a text, which goes on in the next line before anything else does
	shell bool   // a command to copy: where it goes on in the next line, a shell reads on there
	under bool   // a note, which stands under its row where there is no room beside
	aside string // its words in that note where it has no room itself, as in "31 borrowed"; "": it always has a column
	name  bool   // never shortened, for two names may differ in one letter only; folds where nothing else gives way
}

// table is rows of values: text, numbers, moments, durations, lists, or marks.
type table struct {
	columns []column
	rows    [][]any
	hidden  map[int]bool // rows that say nothing to people
	empty   string       // said where there are no rows
	whole   bool         // no name is broken, for a program reads it
}

// mark is a text with a colour that only says it again.
type mark struct {
	text  string
	style style
}

func newTable(empty string, columns ...column) *table { return &table{columns: columns, empty: empty} }

func (t *table) add(values ...any) { t.rows = append(t.rows, values) }

// hide adds a row that only programs see.
func (t *table) hide(values ...any) {
	if t.hidden == nil {
		t.hidden = map[int]bool{}
	}
	t.hidden[len(t.rows)] = true
	t.add(values...)
}

// visible lists the rows that people see.
func (t *table) visible() [][]any {
	var rows [][]any
	for i, row := range t.rows {
		if !t.hidden[i] {
			rows = append(rows, row)
		}
	}
	return rows
}

// show writes the table for people.
func (t *table) show(w io.Writer, p paint, c clock, wide bool) {
	t = &table{columns: t.columns, rows: t.visible(), empty: t.empty, whole: t.whole}
	if len(t.rows) == 0 {
		(&page{Writer: w}).say("%s", t.empty)
		return
	}
	at, widths, below := t.layout(c, wide)
	heads := make([][]string, len(at))
	for i, k := range at {
		heads[i] = fold(t.columns[k].title(wide), widths[i], false)
	}
	for _, line := range t.beside(heads, at, widths, func(_ int, text string) string { return text }) {
		_, _ = fmt.Fprintln(w, p.paint(faint, line))
	}
	for _, row := range t.rows {
		_, _ = fmt.Fprintln(w, t.line(row, at, widths, p, c))
		if note := t.note(row, below, c); note != "" {
			(&page{Writer: w}).say("    %s", note)
		}
	}
}

// note is what of a row stands under it: the values of some columns that are not empty.
func (t *table) note(row []any, below []int, c clock) string {
	var parts []string
	for _, k := range below {
		text, col := human(row[k], c), t.columns[k]
		if col.aside != "" && text == nothing {
			continue
		}
		parts = append(parts, text+prefixed(" ", col.aside))
	}
	return joined(parts...)
}

// line is a row; where columns fold, in as many lines as it takes.
func (t *table) line(row []any, at, widths []int, p paint, c clock) string {
	cells := make([][]string, len(at))
	for i, k := range at {
		cells[i] = t.columns[k].lines(human(row[k], c), widths[i], t.whole)
	}
	return strings.Join(t.beside(cells, at, widths, func(k int, text string) string {
		if m, ok := row[k].(mark); ok {
			return p.paint(m.style, text)
		}
		return text
	}), "\n")
}

// beside puts the lines of cells beside each other, each painted by the column that it is of.
func (t *table) beside(cells [][]string, at, widths []int, painted func(k int, text string) string) []string {
	most := 1
	for _, lines := range cells {
		most = max(most, len(lines))
	}
	lines := make([]string, most)
	for n := range lines {
		texts := make([]string, len(at))
		for i, k := range at {
			if n >= len(cells[i]) || cells[i][n] == "" {
				texts[i] = pad("", widths[i], false)
				continue
			}
			text := cells[i][n]
			texts[i] = strings.Replace(pad(text, widths[i], t.columns[k].right), text, painted(k, text), 1)
		}
		lines[n] = strings.TrimRight(strings.Join(texts, "  "), " ")
	}
	return lines
}

// lines is a value in a column of some width: shortened, or folded.
func (col column) lines(value string, width int, whole bool) []string {
	if columns(value) <= width {
		return []string{value}
	}
	if col.shell && !whole {
		return foldShell(value, width)
	}
	if col.cut && !col.folds && !col.name {
		return []string{shorten(value, width)}
	}
	return fold(value, width, whole)
}

// shown lists the columns that are shown.
func (t *table) shown(c clock, wide bool) []int {
	var at []int
	for k, col := range t.columns {
		if (col.wide && !wide) || (col.spare && t.blank(k, c)) {
			continue
		}
		at = append(at, k)
	}
	return at
}

func (t *table) blank(k int, c clock) bool {
	for _, row := range t.rows {
		if text := human(row[k], c); text != "" && text != nothing {
			return false
		}
	}
	return true
}

// title is what stands above the column.
func (col column) title(wide bool) string {
	if wide {
		return col.head
	}
	return orElse(col.brief, col.head)
}

// csv writes every column, in plain values.
func (t *table) csv(w io.Writer) error { return t.csvRows(w, false) }

func (t *table) csvRows(w io.Writer, headless bool) error {
	out := csv.NewWriter(w)
	heads := make([]string, len(t.columns))
	for i, col := range t.columns {
		heads[i] = strings.ReplaceAll(strings.ToLower(col.head), " ", "_")
	}
	if !headless {
		_ = out.Write(heads)
	}
	for _, row := range t.rows {
		fields := make([]string, len(row))
		for i, v := range row {
			fields[i] = cell(v)
		}
		_ = out.Write(fields)
	}
	out.Flush()
	return out.Error()
}
