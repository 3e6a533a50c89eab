package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// This file reads the parts of a workbook as they come, and keeps no more of them than fits. A
// library that reads a whole workbook gives each row as many cells as its last one says: some
// kilobytes became gigabytes.

// unzipped bounds what a workbook may grow to, in bytes.
const unzipped = 8 << 20

// errGrows says that a workbook grows beyond that.
var errGrows = fmt.Errorf("the sheet is no XLSX that is read: unpacked it has more than %d MB", unzipped>>20)

// packed is a workbook whose parts are read one after another.
type packed struct {
	parts map[string]*zip.File
	left  int64 // bytes that may still be unpacked
}

func openPacked(data io.ReaderAt, size int64) (*packed, error) {
	archive, err := zip.NewReader(data, size)
	if err != nil {
		return nil, fmt.Errorf("the sheet is no XLSX: %w", err)
	}
	p := &packed{map[string]*zip.File{}, unzipped}
	for _, f := range archive.File {
		p.parts[f.Name] = f
	}
	return p, nil
}

// bound reads from a part for as long as the workbook may grow.
func (p *packed) bound(r io.Reader) io.Reader { return growing{p, r} }

type growing struct {
	of *packed
	io.Reader
}

func (g growing) Read(b []byte) (int, error) {
	n, err := g.Reader.Read(b)
	if g.of.left -= int64(n); g.of.left < 0 {
		return 0, errGrows
	}
	return n, err
}

// elements calls do with the beginning of each element of a part; do may read on to its end.
func (p *packed) elements(part string, do func(d *xml.Decoder, e xml.StartElement) error) error {
	f := p.parts[part]
	if f == nil {
		return fmt.Errorf("the sheet is no XLSX: it has no %.100q", part)
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("the sheet is no XLSX: %w", err)
	}
	defer func() { _ = r.Close() }()
	d := xml.NewDecoder(p.bound(r))
	for err == nil {
		var token xml.Token
		if token, err = d.Token(); err == nil {
			if e, is := token.(xml.StartElement); is {
				err = do(d, e)
			}
		}
	}
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("the sheet is no XLSX: %.60q: %w", part, err)
	}
	return err
}

// related is the part that another names: of a kind, and by its ID where one is given. "": there is none.
func (p *packed) related(part, kind, id string) (found string, _ error) {
	folder, name := path.Split(part)
	list := folder + "_rels/" + name + ".rels"
	if p.parts[list] == nil {
		return "", nil
	}
	err := p.elements(list, func(_ *xml.Decoder, e xml.StartElement) error {
		if found == "" && e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), "/"+kind) && (id == "" || attribute(e, "Id") == id) {
			if found = attribute(e, "Target"); strings.HasPrefix(found, "/") {
				found = found[1:]
			} else {
				found = path.Join(folder, found)
			}
		}
		return nil
	})
	return found, err
}

// attribute is what an element says under a name, whatever the name's space is.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// textIn is what stands in the elements t of an element, without how it is pronounced.
func textIn(d *xml.Decoder) (string, error) {
	var text strings.Builder
	for open, within := 1, 0; open > 0; {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if open++; token.Name.Local == "rPh" {
				open--
				err = d.Skip()
			} else if token.Name.Local == "t" {
				within = open
			}
		case xml.EndElement:
			if open == within {
				within = 0
			}
			open--
		case xml.CharData:
			if within > 0 {
				text.Write(token)
			}
		}
		if err != nil {
			return "", err
		}
	}
	return text.String(), nil
}
