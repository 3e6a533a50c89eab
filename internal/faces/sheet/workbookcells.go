package sheet

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// workbookCells reads the first sheet of a workbook, each cell as it is written.
func workbookCells(data []byte) ([][]string, error) {
	p, err := openPacked(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	book, err := p.related("", "officeDocument", "")
	if err != nil || book == "" {
		return nil, orNoWorkbook(err)
	}
	r := sheetReader{packed: p}
	sheet, err := p.firstSheet(book)
	if err == nil {
		err = r.readShared(book)
	}
	if err == nil {
		err = p.elements(sheet, r.take)
	}
	return r.rows, err
}

func orNoWorkbook(err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("the sheet is no XLSX: it names no workbook")
}

// firstSheet is the part of the sheet that is shown first.
func (p *packed) firstSheet(book string) (string, error) {
	id := ""
	if err := p.elements(book, func(_ *xml.Decoder, e xml.StartElement) error {
		if id == "" && e.Name.Local == "sheet" {
			id = attribute(e, "id")
		}
		return nil
	}); err != nil {
		return "", err
	}
	return p.related(book, "worksheet", id)
}

// sheetReader keeps the cells of a sheet.
type sheetReader struct {
	*packed
	shared []string // texts that cells name by their number
	rows   [][]string
	at     int // row, from 1
}

func (r *sheetReader) readShared(book string) error {
	part, err := r.related(book, "sharedStrings", "")
	if err != nil || part == "" {
		return err
	}
	return r.elements(part, func(d *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := textIn(d)
		r.shared = append(r.shared, text)
		return err
	})
}

// take reads a row's beginning, or a cell.
func (r *sheetReader) take(d *xml.Decoder, e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		n, err := strconv.Atoi(attribute(e, "r"))
		if err != nil {
			n = r.at + 1
		}
		if r.at = n; n < 1 || n > mostRows+1 {
			return errTooLarge
		}
	case "c":
		return r.cell(d, e)
	}
	return nil
}

func (r *sheetReader) cell(d *xml.Decoder, e xml.StartElement) error {
	for len(r.rows) < max(r.at, 1) {
		r.rows = append(r.rows, nil)
	}
	row := &r.rows[max(r.at, 1)-1]
	column := len(*row) + 1
	if name := attribute(e, "r"); name != "" {
		var err error
		if column, _, err = excelize.CellNameToCoordinates(name); err != nil {
			return fmt.Errorf("the sheet is no XLSX: %.40q is no cell", name)
		}
	}
	if column > mostColumns {
		return errTooLarge
	}
	text, err := r.value(d, e)
	for len(*row) < column {
		*row = append(*row, "")
	}
	(*row)[column-1] = text
	return err
}

// value is what a cell holds. The value that a formula had is not taken: it may be old. The
// formula itself is, as in CSV, so that its row and column are named as those of other mistakes are.
func (r *sheetReader) value(d *xml.Decoder, e xml.StartElement) (string, error) {
	var c struct {
		V  string   `xml:"v"`
		F  *string  `xml:"f"`
		Is *inlined `xml:"is"`
	}
	if err := d.DecodeElement(&c, &e); err != nil {
		return "", err
	}
	switch kind := attribute(e, "t"); {
	case c.F != nil:
		return "=" + *c.F, nil
	case c.Is != nil:
		return string(*c.Is), nil
	case kind == "s":
		n, err := strconv.Atoi(c.V)
		if err != nil || n < 0 || n >= len(r.shared) {
			return "", fmt.Errorf("the sheet is no XLSX: there is no text %.20q", c.V)
		}
		return r.shared[n], nil
	}
	return c.V, nil
}

// inlined is a text that stands in its cell.
type inlined string

// UnmarshalXML reads it as shared ones are read.
func (s *inlined) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	text, err := textIn(d)
	*s = inlined(text)
	return err
}
