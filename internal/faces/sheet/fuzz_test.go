package sheet

import "testing"

// FuzzReadRecords reads any bytes as a sheet of clusters: it is refused cell by cell, or it
// becomes records, never both and never a panic.
func FuzzReadRecords(f *testing.F) {
	f.Add([]byte("name,provider,region,sku,gpu,gpusPerNode,islands,owner\nlion,azure,westus3,nd96,h200,8,4x16,ada\n"))
	f.Add([]byte("name;owner\n=1+1;\"a\nb\"\n"))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, wrong := ReadRecords(data, nil)
		if len(records) > 0 && len(wrong) > 0 {
			t.Fatalf("%d records and %d mistakes", len(records), len(wrong))
		}
		if len(wrong) > mostErrors+1 {
			t.Fatalf("%d mistakes are named", len(wrong))
		}
	})
}

// FuzzWorkbook reads any text as the rows of a workbook: it is refused, or it has no more rows and
// columns than a sheet may have.
func FuzzWorkbook(f *testing.F) {
	for _, rows := range []string{
		rowsOf(2, 3, ""), `<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`, `<row><c t="inlineStr"><is><r><t>a</t></r><rPh><t>b</t></rPh></is></c></row>`,
		`<row r="2"><c r="B2" t="s"><v>7</v></c></row>`, `<row><c><f>A1</f></c></row>`, `<row r="-1"><c r=""/></row>`,
	} {
		f.Add(rows)
	}
	f.Fuzz(func(t *testing.T, rows string) {
		cells, err := workbookCells(packedSheet(t, rows))
		if err != nil {
			return
		}
		if len(cells) > mostRows+1 {
			t.Fatalf("%d rows", len(cells))
		}
		for _, row := range cells {
			if len(row) > mostColumns {
				t.Fatalf("%d columns", len(row))
			}
		}
	})
}
