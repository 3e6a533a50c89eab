package sheet

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of a sheet of records.
const (
	mostRows    = 10_000
	mostColumns = 200
	mostErrors  = 100
)

// Record is a row of a sheet: a cluster that is to be built.
type Record struct {
	Row    int // as the sheet counts it, from 1
	Record fleet.ClusterRecord
	heads  []string
}

// Over is the record of a cluster once the row is taken over. What the sheet has no column for stays as it is: variables
// always, since no column is one.
func (r Record) Over(is fleet.ClusterRecord) fleet.ClusterRecord {
	row := r.Record
	row.Variables = is.Variables
	for field, keep := range map[string]func(){
		"provider":    func() { row.Provider = is.Provider },
		"sku":         func() { row.SKU = is.SKU },
		"gpusPerNode": func() { row.GPUsPerNode = is.GPUsPerNode },
		"owner":       func() { row.Owner = is.Owner },
		"priority":    func() { row.Priority = is.Priority },
		"wantedBy":    func() { row.WantedBy = is.WantedBy },
	} {
		if !slices.Contains(r.heads, field) {
			keep()
		}
	}
	return row
}

// CellError is a cell that is wrong, and what would be right.
type CellError struct {
	Row     int
	Column  string // its head, or its letter
	Message string
}

// Fields are what a column may be. Heads are compared without case, spaces and dashes.
var Fields = []string{"name", "provider", "subscription", "region", "sku", "gpu", "gpusPerNode", "islands", "owner", "priority", "wantedBy", "blueprint"}

// synonyms are other heads that people give the columns.
var synonyms = map[string]string{
	"cluster": "name", "clustername": "name", "gpumodel": "gpu", "model": "gpu", "nodes": "islands", "wanted": "wantedBy", "due": "wantedBy", "date": "wantedBy",
	"duedate": "wantedBy", "location": "region", "vmsize": "sku",
}

// ReadRecords reads clusters from a sheet, CSV or XLSX. columns says of heads that are no
// field which field they are. Every cell that is wrong is named; then no record is returned.
func ReadRecords(data []byte, columns map[string]string) ([]Record, []CellError) {
	rows, bad := cells(data)
	if bad != nil {
		return nil, []CellError{*bad}
	}
	if len(rows) == 0 {
		return nil, []CellError{{1, "", "the sheet is empty; its first row names the columns: " + strings.Join(Fields, ", ")}}
	}
	if len(columns) > mostColumns {
		return nil, []CellError{{Message: fmt.Sprintf("%d heads are mapped; a sheet has at most %d columns", len(columns), mostColumns)}}
	}
	heads, wrong := headsOf(rows[0], columns)
	if len(wrong) > 0 {
		return nil, wrong
	}
	r := reader{heads: heads, first: map[string]int{}}
	for i, row := range rows[1:] {
		if !blank(row) {
			r.row(i+2, row)
		}
	}
	if len(r.wrong) > 0 {
		return nil, r.mistakes()
	}
	return r.records, nil
}

// cells reads the cells of a sheet as texts.
func cells(data []byte) ([][]string, *CellError) {
	var rows [][]string
	var err error
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		rows, err = workbookCells(data)
	} else {
		rows, err = csvCells(data)
	}
	if err != nil {
		return nil, &CellError{Message: err.Error()}
	}
	return rows, nil
}

var errNoSheet = errors.New("the file is neither CSV nor a workbook of Excel; save the sheet as .csv or .xlsx")

func csvCells(data []byte) (rows [][]string, _ error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.Comma = -1, separator(data)
	for {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil && !utf8.Valid(data):
			return nil, errNoSheet
		case err != nil:
			return nil, fmt.Errorf("the sheet is no CSV: %w", err)
		}
		line, _ := r.FieldPos(0)
		if line > mostRows+1 || len(row) > mostColumns {
			return nil, errTooLarge
		}
		for len(rows) < line-1 {
			rows = append(rows, nil) // empty lines, which the reader leaves out
		}
		rows = append(rows, row)
	}
}

// separator is what stands between the cells: a comma, or what spreadsheets of other
// languages write.
func separator(data []byte) rune {
	heads, _, _ := bytes.Cut(data, []byte("\n"))
	for _, c := range []rune{',', ';', '\t'} {
		if bytes.ContainsRune(heads, c) {
			return c
		}
	}
	return ','
}

// errTooLarge says what of a sheet is too much.
var errTooLarge = fmt.Errorf("the sheet has more than %d rows or %d columns; import it in parts, the columns of records alone", mostRows, mostColumns)

// headsOf says which field each column is; "" for one that is left out on purpose.
func headsOf(row []string, columns map[string]string) (heads []string, wrong []CellError) {
	seen := map[string]bool{}
	for i, text := range row {
		field := fieldOf(text, columns)
		letter, _ := excelize.ColumnNumberToName(i + 1)
		switch {
		case text == "":
		case field == "":
			wrong = append(wrong, CellError{1, orLetter(text, letter), fmt.Sprintf("%.60q is no field of a record; it is one of %s, or say which it is (--map %q=FIELD; FIELD - leaves it out)", text, strings.Join(Fields, ", "), text)})
		case field != "-" && seen[field]:
			wrong = append(wrong, CellError{1, orLetter(text, letter), "two columns are the field " + field})
		}
		seen[field] = true
		heads = append(heads, field)
	}
	for _, need := range []string{"name", "subscription", "region", "gpu", "islands", "blueprint"} {
		if !seen[need] {
			wrong = append(wrong, CellError{1, need, "the column " + need + " is missing"})
		}
	}
	return heads, wrong
}

func orLetter(head, letter string) string {
	if head == "" {
		return letter
	}
	return head
}

func plainHead(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(s)))
}

func fieldOf(head string, columns map[string]string) string {
	for text, field := range columns {
		if plainHead(text) != plainHead(head) {
			continue
		}
		if field == "-" || slices.Contains(Fields, field) {
			return field
		}
		return ""
	}
	for _, f := range Fields {
		if plainHead(f) == plainHead(head) {
			return f
		}
	}
	return synonyms[plainHead(head)]
}

func blank(row []string) bool {
	return !slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" })
}

// reader reads the rows under the heads.
type reader struct {
	heads   []string
	records []Record
	wrong   []CellError
	first   map[string]int // row in which a name came first
}

func (r *reader) row(n int, row []string) {
	rec := Record{Row: n, Record: fleet.ClusterRecord{Priority: fleet.Mid}, heads: r.heads}
	failed := map[string]bool{}
	for i, head := range r.heads {
		if i < len(row) {
			if err := fill(&rec.Record, head, strings.TrimSpace(row[i])); err != "" {
				r.fail(n, head, err)
				failed[head] = true
			}
		}
	}
	for field, text := range map[string]string{
		"name": rec.Record.Name, "subscription": rec.Record.Subscription, "region": rec.Record.Region, "gpu": rec.Record.GPU, "blueprint": rec.Record.Blueprint,
	} {
		if text == "" && !failed[field] {
			r.fail(n, field, "is empty")
		}
	}
	if before, twice := r.first[rec.Record.Name]; twice && rec.Record.Name != "" {
		r.fail(n, "name", fmt.Sprintf("cluster %s stands in row %d already", rec.Record.Name, before))
	}
	r.first[rec.Record.Name] = n
	r.records = append(r.records, rec)
}

func (r *reader) fail(row int, column, message string) {
	r.wrong = append(r.wrong, CellError{row, column, message})
}

// mistakes are the first cells that are wrong, in the order of the sheet. They are sorted once:
// sorted with each one, a sheet of 72 kB took a minute.
func (r *reader) mistakes() []CellError {
	slices.SortStableFunc(r.wrong, func(a, b CellError) int {
		return cmp.Or(a.Row-b.Row, strings.Compare(a.Column, b.Column))
	})
	return r.wrong[:min(len(r.wrong), mostErrors)]
}

// fill puts a cell into a record; it says what is wrong with the cell, "" for nothing.
func fill(r *fleet.ClusterRecord, field, text string) (wrong string) {
	if strings.HasPrefix(text, "=") {
		return "is a formula; paste its value"
	}
	switch field {
	case "name":
		r.Name = text
	case "provider":
		r.Provider = text
	case "subscription":
		r.Subscription = text
	case "region":
		r.Region = text
	case "sku":
		r.SKU = text
	case "gpu":
		r.GPU = text
	case "owner":
		r.Owner = text
	case "blueprint":
		r.Blueprint = text
	default:
		return fillFigure(r, field, text)
	}
	return ""
}

func fillFigure(r *fleet.ClusterRecord, field, text string) (wrong string) {
	if text == "" && field != "islands" {
		return ""
	}
	switch field {
	case "gpusPerNode":
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Sprintf("%.40q is no number of GPUs; write 8", text)
		}
		r.GPUsPerNode = n
	case "priority":
		p, ok := fleet.ParsePriority(strings.ToLower(text))
		if !ok {
			return fmt.Sprintf("%.40q is no priority; write critical, high, mid or low", text)
		}
		r.Priority = p
	case "wantedBy":
		return fillDate(r, text)
	case "islands":
		return fillIslands(r, text)
	}
	return ""
}

// fillDate reads a day, as text or as spreadsheets count them.
func fillDate(r *fleet.ClusterRecord, text string) string {
	at, err := time.Parse(time.DateOnly, text)
	if days, notNumber := strconv.ParseFloat(text, 64); err != nil && notNumber == nil && days > 20_000 && days < 100_000 {
		at, err = excelize.ExcelDateToTime(days, false)
	}
	if err != nil {
		return fmt.Sprintf("%.40q is no day; write it as 2027-01-31", text)
	}
	day := at.UTC().Truncate(24 * time.Hour)
	if !at.Equal(day) { // nothing is rounded
		return fmt.Sprintf("%.40q is %s, a day with a time; write the day alone, as in %s", text, at.UTC().Format("2006-01-02 15:04"), day.Format(time.DateOnly))
	}
	r.WantedBy = fleet.InstantOf(day)
	return ""
}

// fillIslands reads islands as a:16 b:16, or a number of nodes of one island a.
func fillIslands(r *fleet.ClusterRecord, text string) string {
	const right = "write NAME:NODES for each, as in a:16 b:16, or the nodes of one island, as in 16"
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		r.Islands = []fleet.RecordIsland{{Name: "a", Nodes: n}}
		return ""
	}
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' || c == ';' }) {
		name, count, ok := strings.Cut(part, ":")
		n, err := strconv.Atoi(count)
		if !ok || err != nil || n < 1 || name == "" {
			return fmt.Sprintf("%.40q is no island; %s", part, right)
		}
		r.Islands = append(r.Islands, fleet.RecordIsland{Name: name, Nodes: n})
	}
	if len(r.Islands) == 0 {
		return "is empty; " + right
	}
	return ""
}
