package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// widest is how many columns of a terminal a table takes.
const widest = 100

// column is one column of a table.
type column struct {
	head  string
	brief string // the head for people, where it is shorter
	right bool   // numbers
	wide  bool   // only with -o wide and csv
	spare bool   // left out where it is empty in every row
	cut   bool   // may be shortened to fit
	path  bool   // shortened at its beginning: the end tells more
	last  bool   // shortened only where nothing else can be, and in the middle: both ends tell
	folds bool   // goes on in the next line where there is no room
}

// table is rows of values: text, numbers, moments, durations, lists, or marks.
type table struct {
	columns []column
	rows    [][]any
	hidden  map[int]bool // rows that say nothing to people
	empty   string       // said where there are no rows
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

// clock says moments: those of today by their time, others with their day.
type clock struct {
	now  time.Time
	zone *time.Location
}

func (c clock) moment(at time.Time) string {
	at, now := at.In(c.zone), c.now.In(c.zone)
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format("2006-01-02 15:04")
}

// ago says how long ago a moment was.
func (c clock) ago(at time.Time) string { return short(c.now.Sub(at)) }

// until says how long it is to a moment.
func (c clock) until(at time.Time) string {
	if d := at.Sub(c.now); d > 0 {
		return "in " + short(d)
	}
	return "now"
}

// show writes the table for people.
func (t *table) show(w io.Writer, p paint, c clock, wide bool) {
	t = &table{columns: t.columns, rows: t.visible(), empty: t.empty}
	if len(t.rows) == 0 {
		(&page{Writer: w}).say("%s", t.empty)
		return
	}
	at := t.shown(c, wide)
	widths := t.widths(at, c, wide)
	if !wide {
		t.fit(at, widths)
	}
	heads := make([]string, len(at))
	for i, k := range at {
		heads[i] = pad(t.columns[k].title(wide), widths[i], t.columns[k].right)
	}
	_, _ = fmt.Fprintln(w, p.paint(faint, strings.TrimRight(strings.Join(heads, "  "), " ")))
	for _, row := range t.rows {
		_, _ = fmt.Fprintln(w, t.line(row, at, widths, p, c))
	}
}

// line is a row; where columns fold, in as many lines as it takes.
func (t *table) line(row []any, at, widths []int, p paint, c clock) string {
	cells, most := make([][]string, len(at)), 1
	for i, k := range at {
		cells[i] = t.columns[k].lines(human(row[k], c), widths[i])
		most = max(most, len(cells[i]))
	}
	lines := make([]string, most)
	for n := range lines {
		texts := make([]string, len(at))
		for i, k := range at {
			text := ""
			if n < len(cells[i]) {
				text = cells[i][n]
			}
			texts[i] = pad(text, widths[i], t.columns[k].right)
			if m, ok := row[k].(mark); ok {
				texts[i] = strings.Replace(texts[i], text, p.paint(m.style, text), 1)
			}
		}
		lines[n] = strings.TrimRight(strings.Join(texts, "  "), " ")
	}
	return strings.Join(lines, "\n")
}

// lines is a text in a column of some width: shortened, or folded.
func (col column) lines(text string, width int) []string {
	switch {
	case col.folds:
		return fold(text, width)
	case col.last:
		return []string{clipMiddle(text, width)}
	}
	return []string{clip(text, width, col.path)}
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

// nothing stands where a number is zero, so that those that are not stand out.
const nothing = "-"

// human is a value as people read it.
func human(v any, c clock) string {
	switch v := v.(type) {
	case int32:
		return number(int64(v))
	case int:
		return number(int64(v))
	case uint64:
		return number(int64(v))
	case *timestamppb.Timestamp:
		if v == nil {
			return nothing
		}
		return c.moment(v.AsTime())
	case time.Duration:
		if v == 0 {
			return nothing
		}
		return short(v)
	case []string:
		return clean(strings.Join(v, ","))
	case mark:
		return clean(v.text)
	}
	return clean(fmt.Sprint(v))
}

// clean keeps what people and monitors wrote from steering the terminal.
func clean(s string) string { return strings.Map(text.Printable, s) }

// cell is a value as spreadsheets read it: what people and monitors wrote is no formula there.
func cell(v any) string {
	switch v.(type) {
	case string, []string, mark:
		return text.Cell(plainText(v))
	}
	return plainText(v)
}

// plainText is a value as programs read it.
func plainText(v any) string {
	switch v := v.(type) {
	case *timestamppb.Timestamp:
		if v == nil {
			return ""
		}
		return v.AsTime().Format(time.RFC3339Nano)
	case time.Duration:
		return strconv.FormatFloat(v.Seconds(), 'f', -1, 64)
	case []string:
		return strings.Join(v, " ")
	case mark:
		return v.text
	case figure:
		return strconv.FormatFloat(v.value, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func number(n int64) string {
	if n == 0 {
		return nothing
	}
	return grouped(n)
}

// grouped groups a number's digits by threes.
func grouped(n int64) string { return text.Group(n) }

func pad(text string, width int, right bool) string {
	gap := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if right {
		return gap + text
	}
	return text + gap
}

// clip shortens a text, at its end or at its beginning.
func clip(text string, width int, head bool) string {
	runes := []rune(text)
	switch {
	case len(runes) <= width || width < 1:
		return text
	case head:
		return "…" + string(runes[len(runes)-width+1:])
	}
	return words.Clip(text, width)
}

// clipMiddle shortens a text in its middle, so that both ends can be read.
func clipMiddle(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width || width < 3 {
		return text
	}
	tail := width / 2
	return string(runes[:width-1-tail]) + "…" + string(runes[len(runes)-tail:])
}

// fold breaks a text into lines of at most width: between words, and inside one
// that is longer by itself.
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
		for ; len(rest) > width && width > 0; rest = rest[width:] {
			lines = append(lines, string(rest[:width]))
		}
		line = append(line, rest...)
	}
	return append(lines, string(line))
}

// short says a length of time in at most two units: 45s, 12m, 3h5m, 2d4h.
func short(d time.Duration) string {
	if d < 0 {
		return "in " + words.About(-d)
	}
	return words.About(d)
}
