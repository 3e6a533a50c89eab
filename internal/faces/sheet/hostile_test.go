package sheet

import (
	"archive/zip"
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// packedSheet is a workbook with these rows, as a program may write them that wants to do harm.
func packedSheet(t *testing.T, rows string) []byte {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"_rels/.rels", `<Relationships><Relationship Id="r1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns:r="` + office + `"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="` + office + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		{"[Content_Types].xml", `<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`},
		{"xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + rows + `</sheetData></worksheet>`},
	} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = w.Write([]byte(part[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rowsOf are rows with as many cells each, and one more at the far end of some.
func rowsOf(rows, cells int, far string) string {
	var s strings.Builder
	for i := 1; i <= rows; i++ {
		fmt.Fprintf(&s, `<row r="%d">`, i)
		for c := range cells {
			fmt.Fprintf(&s, `<c r="%c%d"><v>1</v></c>`, 'A'+c, i)
		}
		if far != "" && i > 1 {
			fmt.Fprintf(&s, `<c r="%s%d"><v>1</v></c>`, far, i)
		}
		s.WriteString(`</row>`)
	}
	return s.String()
}

// What a sheet costs follows from its bytes, whatever it says of itself. These took gigabytes, or a minute.
func TestHostileSheetsCostLittle(t *testing.T) {
	const heads = "name,subscription,region,gpu,islands,blueprint\n"
	mapped := map[string]string{}
	for i := range 5000 {
		mapped[fmt.Sprint("head ", i)] = "name"
	}
	for _, c := range []struct {
		what    string
		data    []byte
		columns map[string]string
		says    string
	}{
		{"a row that begins a thousand times at the last column", packedSheet(t, rowsOf(1000, 1, "XFD")), nil, "more than"},
		{"a row after a million that are not there", packedSheet(t, `<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>1</v></c></row>`), nil, "more than"},
		{"a quarter of a million cells", packedSheet(t, rowsOf(9900, 26, "")), nil, "no field"},
		{"a workbook that unpacks to a hundred times its size", packedSheet(t, strings.Repeat(" ", 40<<20)), nil, "no XLSX"},
		{"rows in which all is wrong", []byte(heads + strings.Repeat("a,,,,=,\n", 9000)), nil, "empty"},
		{"lines without a row", []byte(heads + strings.Repeat("\n", 900_000) + "a"), nil, "more than"},
		{"more heads than there are columns", []byte(strings.Repeat("x,", 199) + "x\n"), mapped, "mapped"},
	} {
		t.Run(c.what, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			records, wrong := ReadRecords(c.data, c.columns)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			used := (after.TotalAlloc - before.TotalAlloc) >> 20
			if len(records) > 0 || len(wrong) == 0 || len(wrong) > mostErrors || !strings.Contains(wrong[0].Message, c.says) {
				t.Errorf("%d records, %d mistakes: %.3v", len(records), len(wrong), wrong)
			}
			if took > 10*time.Second || used > 512 {
				t.Errorf("%d bytes took %v and %d MB", len(c.data), took, used)
			}
			t.Logf("%d bytes: %v, %d MB of all allocations", len(c.data), took, used)
		})
	}
}
