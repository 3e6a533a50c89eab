package sheet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

const heads = "Name,Subscription,Region,GPU,Nodes,Wanted By,Blueprint\n"

func TestASheetOfRecordsIsRead(t *testing.T) {
	records, wrong := ReadRecords([]byte(heads+"lynx,s1,east,h200,a:2 b:3,2027-03-01,nd\n\npuma,s1,east,h200,4,,nd\n"), nil)
	if len(wrong) > 0 || len(records) != 2 {
		t.Fatalf("%+v %+v", records, wrong)
	}
	if r := records[0].Record; r.Nodes() != 5 || r.WantedBy.Time().Format("2006-01-02") != "2027-03-01" || records[1].Row != 4 || records[1].Record.Nodes() != 4 {
		t.Errorf("read as %+v", records)
	}
}

func TestEveryWrongCellIsNamed(t *testing.T) {
	for _, c := range []struct{ sheet, says string }{
		{"", "empty"},
		{"Name,Colour\n", `"Colour" is no field`},
		{"name,name,subscription,region,gpu,islands,blueprint\n", "two columns are the field name"},
		{heads + "lynx,s1,east,h200,a:x,,nd\n", `"a:x" is no island`},
		{heads + "lynx,s1,east,h200,,,nd\n", "is empty"},
		{heads + "lynx,s1,east,h200,2,soon,nd\n", `"soon" is no day`},
		{heads + strings.Repeat("lynx,s1,east,h200,2,,nd\n", 2), "stands in row 2 already"},
		{heads + "lynx,=A1,east,h200,2,,nd\n", "is a formula"},
		{heads + "lynx,\"s1,east,h200,2,,nd\n", "no CSV"},
		{"\xd0\xcf\x11\xe0\xa1\xb1,\"\n", "neither CSV nor a workbook of Excel; save the sheet as .csv or .xlsx"}, // an old .xls
	} {
		records, wrong := ReadRecords([]byte(c.sheet), nil)
		if len(wrong) == 0 || records != nil || !strings.Contains(wrong[0].Message, c.says) {
			t.Errorf("%q: %+v, want %q", c.sheet, wrong, c.says)
		}
	}
}

// A sheet is CSV with commas, or with what spreadsheets of other languages write, and never
// larger than its bounds.
func TestSheetsHaveOtherSeparatorsAndBounds(t *testing.T) {
	for _, c := range []string{";", "\t"} {
		text := strings.ReplaceAll(heads+"lynx,s1,east,h200,a:2 b:3,2027-03-01,nd\n", ",", c)
		if records, wrong := ReadRecords([]byte(text), nil); len(wrong) > 0 || len(records) != 1 || records[0].Record.Nodes() != 5 {
			t.Errorf("with %q between cells: %+v %+v", c, records, wrong)
		}
	}
	for name, large := range map[string]string{
		"rows": heads + strings.Repeat("lynx,s1,east,h200,2,,nd\n", mostRows+1), "columns": strings.Repeat("name,", mostColumns+1) + "\n",
	} {
		if records, wrong := ReadRecords([]byte(large), nil); records != nil || len(wrong) != 1 || !strings.Contains(wrong[0].Message, "import it in parts") {
			t.Errorf("too many %s: %+v", name, wrong)
		}
	}
}

// A workbook that unpacks to far more than it holds is refused before it is unpacked.
func TestAWorkbookThatGrowsIsRefused(t *testing.T) {
	book := excelize.NewFile()
	for i := range 30 {
		row := make([]any, mostColumns)
		for k := range row {
			row[k] = fmt.Sprint(i, " ", k, strings.Repeat("a", 2000))
		}
		if err := book.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	records, wrong := ReadRecords(b.Bytes(), nil)
	if records != nil || len(wrong) != 1 || !strings.Contains(wrong[0].Message, "no XLSX") {
		t.Errorf("a workbook of %d bytes: %d records, %+v", b.Len(), len(records), wrong)
	}
}

func TestColumnsAreMapped(t *testing.T) {
	sheet := "Kennung,Subscription,Region,GPU,Nodes,Blueprint,Notes\nlynx,s1,east,h200,2,nd,hello\n"
	records, wrong := ReadRecords([]byte(sheet), map[string]string{"Kennung": "name", "Notes": "-"})
	if len(wrong) > 0 || records[0].Record.Name != "lynx" {
		t.Errorf("%+v %+v", records, wrong)
	}
}

func TestAWorkbookIsReadAndItsFormulasAreRefused(t *testing.T) {
	book := excelize.NewFile()
	for at, v := range map[string]any{"A1": "name", "B1": "subscription", "C1": "region", "D1": "gpu", "E1": "islands", "F1": "blueprint", "G1": "wantedBy", "A2": "lynx", "B2": "s1", "C2": "east", "D2": "h200", "E2": 4, "F2": "nd", "G2": 46447} {
		if err := book.SetCellValue("Sheet1", at, v); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	records, wrong := ReadRecords(b.Bytes(), nil)
	if len(wrong) > 0 || len(records) != 1 || records[0].Record.Nodes() != 4 || records[0].Record.WantedBy.Time().Year() != 2027 {
		t.Fatalf("%+v %+v", records, wrong)
	}
	b.Reset()
	_ = book.SetCellFormula("Sheet1", "E2", "2+2")
	_ = book.SetCellValue("Sheet1", "C2", "")
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, wrong = ReadRecords(b.Bytes(), nil)
	if want := []CellError{{2, "islands", "is a formula; paste its value"}, {2, "region", "is empty"}}; !slices.Equal(wrong, want) {
		t.Errorf("%+v, want %+v", wrong, want)
	}
}
