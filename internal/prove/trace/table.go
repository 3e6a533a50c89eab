package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Error says what is wrong in a file, and where.
type Error struct {
	File    string
	Line    int // from 1
	Message string
}

// Error is the place and the message.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// table reads CSV with a header, line by line.
type table struct {
	file   string
	source *source
	csv    *csv.Reader
	needed []string
	header []string
	column map[string]int
	row    []string
	line   int   // of the row
	bad    error // what is wrong with the row
}

// open opens a file for one of the readers of this package.
func open[T any](path string, read func(string, io.Reader) ([]T, error)) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(path, f)
}

// newTable reads the header and checks that the needed columns are there.
func newTable(file string, r io.Reader, needed ...string) (*table, error) {
	source, err := unpack(r)
	if err != nil {
		return nil, &Error{file, 1, err.Error()}
	}
	t := &table{file: file, source: source, csv: csv.NewReader(source), needed: needed, column: map[string]int{}}
	t.csv.ReuseRecord = true
	t.csv.FieldsPerRecord = -1 // judged here, with a better message
	err = t.read()
	if errors.Is(err, io.EOF) {
		return nil, &Error{file, 1, "the file is empty; its first line must name the columns"}
	}
	if err != nil {
		return nil, err
	}
	err = t.setHeader()
	return t, err
}

func (t *table) setHeader() error {
	for i, name := range t.row {
		name = strings.TrimSpace(name)
		if _, twice := t.column[name]; twice && slices.Contains(t.needed, name) {
			return t.fail("column %q stands there twice", name)
		}
		t.column[name] = i
		t.header = append(t.header, name)
	}
	for _, name := range t.needed {
		if _, ok := t.column[name]; !ok {
			return t.fail("no column %q: needed are %s; the file has %s", name, strings.Join(t.needed, ", "), clip(strings.Join(t.header, ", ")))
		}
	}
	return nil
}

// next reads the next line; ok is false after the last one.
func (t *table) next() (ok bool, err error) {
	switch err := t.read(); {
	case errors.Is(err, io.EOF):
		return false, t.checkEnd()
	case err != nil:
		return false, err
	case len(t.row) != len(t.header):
		return false, t.fail("the line has %d fields and the header %d: the line is cut short, or a comma in it is not quoted", len(t.row), len(t.header))
	}
	return true, nil
}

// checkEnd refuses a last line without its line end where its last value is one
// that is read: half a number would look like a whole one.
func (t *table) checkEnd() error {
	last := t.header[len(t.header)-1]
	if t.source.last != '\n' && slices.Contains(t.needed, last) {
		return t.fail("the file ends without a line end, maybe inside %s; add one if the line is complete", last)
	}
	return nil
}

func (t *table) read() error {
	row, err := t.csv.Read()
	var bad *csv.ParseError
	switch {
	case err == nil:
		t.row = row
		t.line, _ = t.csv.FieldPos(0)
		return nil
	case errors.Is(err, io.EOF):
		return err
	case errors.As(err, &bad):
		return &Error{t.file, bad.Line, bad.Err.Error()}
	}
	return &Error{t.file, t.line + 1, err.Error()}
}

func (t *table) fail(format string, args ...any) error {
	return &Error{t.file, t.line, fmt.Sprintf(format, args...)}
}

// text is a column's value, "" where the file has no such column.
func (t *table) text(column string) string {
	if i, ok := t.column[column]; ok {
		return strings.TrimSpace(t.row[i])
	}
	return ""
}

// longestName is what a name may have, in bytes.
const longestName = 253

// name is a column's value that must be there.
func (t *table) name(column string) string {
	v := t.text(column)
	switch {
	case v == "":
		t.blame("%s is empty; every line needs one", column)
	case len(v) > longestName:
		t.blame("%s %q has %d bytes; %d are allowed", column, clip(v), len(v), longestName)
	}
	return v
}

// number is a column's value between two bounds.
func (t *table) number(column string, least, most float64) float64 {
	v, err := strconv.ParseFloat(t.text(column), 64)
	switch {
	case err != nil || math.IsNaN(v):
		t.blame("%s is %q; a number is needed", column, clip(t.text(column)))
	case v < least || v > most:
		t.blame("%s is %s; it must be between %.0f and %.0f", column, clip(t.text(column)), least, most)
	default:
		return v
	}
	return least
}

// whole is a number without a fraction.
func (t *table) whole(column string, least, most float64) int {
	v := t.number(column, least, most)
	if v != math.Trunc(v) {
		t.blame("%s is %s; a whole number is needed", column, t.text(column))
	}
	return int(v)
}

// blame notes what is wrong with the row; what is found first counts.
func (t *table) blame(format string, args ...any) {
	if t.bad == nil {
		t.bad = t.fail(format, args...)
	}
}

// clip shortens a text for a message.
func clip(s string) string { return text.Clip(s, 200) }
