package sheet

import (
	"bytes"
	"fmt"

	"github.com/xuri/excelize/v2"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Plan is what a spreadsheet shows.
type Plan struct {
	Title  string
	Parts  []haircut.PartInput
	Share  fleet.Permille // the buffer that the cell begins with
	Shared bool           // whether there is one; else the cell is empty, and the policy in force counts
}

// BufferCell is the cell of sheet Haircut that every figure follows.
const BufferCell = "B3"

// XLSX writes the plan as a workbook: Haircut (the buffer and the sums), Quotas
// (each cut), Partitions and Working (how they come about).
func XLSX(p Plan) ([]byte, error) {
	b := &book{f: excelize.NewFile()}
	defer func() { _ = b.f.Close() }()
	b.sheets()
	b.summary(p)
	b.heads()
	b.partitions(p)
	if b.err != nil {
		return nil, fmt.Errorf("spreadsheet: %w", b.err)
	}
	var out bytes.Buffer
	if err := b.f.Write(&out); err != nil {
		return nil, fmt.Errorf("spreadsheet: %w", err)
	}
	return out.Bytes(), nil
}

// book is a workbook on its way; the first error stays.
type book struct {
	f   *excelize.File
	err error
}

func (b *book) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

func column(n int) string {
	name, err := excelize.ColumnNumberToName(n)
	if err != nil {
		panic(err) // columns are counted from 1
	}
	return name
}

func (b *book) put(sheet string, col, row int, v any) {
	b.keep(b.f.SetCellValue(sheet, fmt.Sprintf("%s%d", column(col), row), v))
}

func (b *book) formula(sheet string, col, row int, format string, args ...any) {
	b.keep(b.f.SetCellFormula(sheet, fmt.Sprintf("%s%d", column(col), row), fmt.Sprintf(format, args...)))
}

func (b *book) sheets() {
	b.keep(b.f.SetSheetName("Sheet1", "Haircut"))
	for _, name := range []string{"Quotas", "Partitions", "Working"} {
		_, err := b.f.NewSheet(name)
		b.keep(err)
		b.keep(b.f.SetPanes(name, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
		b.keep(b.f.SetColWidth(name, "A", "C", 24))
	}
	b.keep(b.f.SetColWidth("Haircut", "A", "A", 46))
}

// heads writes the first line of each sheet.
func (b *book) heads() {
	bold, err := b.f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	b.keep(err)
	heads := map[string][]string{
		"Quotas": {
			"Partition", "Quota", "Owner", "Grant", "Usage", "Idle", "Highest use in 90 days", "Gang", "New grant", "Cut",
			"of it above usage", "of it held by idle jobs", "of it the rest", "Below its gang", "Basis quota: new grant", "Basis quota: cut",
		},
		"Partitions": {
			"Partition", "Cluster", "GPUs per node", "Installed nodes", "Healthy nodes (least over the dwell)", "Sustainable nodes by the policy in force",
			"Assigned nodes", "Sustainable nodes", "Excess nodes", "Assigned", "Sustainable", "Excess", "Unallocated", "Cut", "Basis quota: nodes kept",
		},
		"Working": {"Partition", "Quota", "Grant nodes", "Gang nodes", "Work beside the gang", "Above usage", "Idle", "Rest"},
	}
	for stage := range stages {
		heads["Partitions"] = append(heads["Partitions"], fmt.Sprintf("Stage %d: to take", stage+1), "there is", "rounded down")
		heads["Working"] = append(heads["Working"], fmt.Sprintf("Stage %d: there is", stage+1), "rounded down", "remainder", "cut")
	}
	heads["Working"] = append(heads["Working"], "Basis quota: rounded down", "remainder", "kept")
	for sheet, names := range heads {
		for i, name := range names {
			b.put(sheet, i+1, 1, name)
		}
		b.keep(b.f.SetRowStyle(sheet, 1, 1, bold))
	}
}

// partitions writes all partitions, and the grants of each one under the other.
func (b *book) partitions(p Plan) {
	first := 2
	for i, part := range p.Parts {
		last := first + len(part.Rows) - 1
		b.partition(part, i+2, first, max(first, last))
		for k, row := range part.Rows {
			b.working(part, row, i+2, first+k, first, last)
			b.quota(part, row, first+k)
		}
		if len(part.Rows) == 0 { // an empty line, so that the sums of the partition have cells to look at
			first++
		}
		first += len(part.Rows)
	}
}

// partition writes one line of sheet Partitions; its grants stand in the rows
// first to last of the others.
func (b *book) partition(p haircut.PartInput, row, first, last int) {
	const sheet = "Partitions"
	for i, v := range []any{p.Partition, p.Cluster, p.GPUsPerNode, p.Installed, p.Healthy, p.Sustainable} {
		b.put(sheet, i+1, row, v)
	}
	b.formula(sheet, 7, row, "SUM(Working!C%d:C%d)", first, last)
	// ROUND keeps the floor of a whole number from being one less.
	b.formula(sheet, 8, row, "IF(ISNUMBER(Haircut!$B$3),MIN(E%[1]d,INT(ROUND(D%[1]d*(1-Haircut!$B$3),6))),F%[1]d)", row)
	b.formula(sheet, 9, row, "MAX(0,G%[1]d-H%[1]d)", row)
	b.formula(sheet, 10, row, "G%[1]d*C%[1]d", row)
	b.formula(sheet, 11, row, "H%[1]d*C%[1]d", row)
	b.formula(sheet, 12, row, "I%[1]d*C%[1]d", row)
	b.formula(sheet, 13, row, "MAX(0,H%[1]d-G%[1]d)*C%[1]d", row)
	b.formula(sheet, 14, row, "SUM(Quotas!J%d:J%d)", first, last)
	b.formula(sheet, 15, row, "INT(ROUND(G%[1]d*IF(ISNUMBER(Haircut!$B$3),1-Haircut!$B$3,IF(D%[1]d=0,0,F%[1]d/D%[1]d)),6))", row)
	for stage := range stages {
		for what, formula := range needFormulas(stage, row, first, last) {
			b.formula(sheet, firstNeed+perNeed*stage+what, row, "%s", formula)
		}
	}
}

// working writes one line of sheet Working.
func (b *book) working(p haircut.PartInput, r haircut.RowInput, at, row, first, last int) {
	const sheet = "Working"
	for i, v := range []any{p.Partition, r.Quota, r.Grant, r.Gang, r.Beside, r.Has[0], r.Has[1], r.Has[2]} {
		b.put(sheet, i+1, row, v)
	}
	for stage := range stages {
		for what, formula := range stageFormulas(stage, row, at, first, last) {
			b.formula(sheet, firstStage+perStage*stage+what, row, "%s", formula)
		}
	}
	q := firstStage + perStage*stages
	kept, total, rem := fmt.Sprintf("Partitions!$O$%d", at), fmt.Sprintf("Partitions!$G$%d", at), column(q+1)
	b.formula(sheet, q, row, "IF(%[1]s=0,0,QUOTIENT(%[2]s*C%[3]d,%[1]s))", total, kept, row)
	b.formula(sheet, q+1, row, "IF(%[1]s=0,0,MOD(%[2]s*C%[3]d,%[1]s))", total, kept, row)
	b.formula(sheet, q+2, row, "%[1]s%[2]d+IF(COUNTIF(%[3]s$%[4]d:%[3]s$%[5]d,\">\"&%[3]s%[2]d)+COUNTIF(%[3]s$%[4]d:%[3]s%[2]d,%[3]s%[2]d)<=%[6]s-SUM(%[1]s$%[4]d:%[1]s$%[5]d),1,0)",
		column(q), row, rem, first, last, kept)
}

// quota writes one line of sheet Quotas.
func (b *book) quota(p haircut.PartInput, r haircut.RowInput, row int) {
	const sheet = "Quotas"
	g := p.GPUsPerNode
	for i, v := range []any{p.Partition, r.Quota, r.Owner, r.Grant * g, r.Usage, r.Idle, r.Highest, r.Gang * g} {
		b.put(sheet, i+1, row, v)
	}
	b.formula(sheet, 9, row, "D%[1]d-J%[1]d", row)
	b.formula(sheet, 10, row, "SUM(K%[1]d:M%[1]d)", row)
	for class := range classes {
		b.formula(sheet, 11+class, row, "%d*(Working!%[3]s%[2]d+Working!%[4]s%[2]d)", g, row, stageColumn(class, cut), stageColumn(class+classes, cut))
	}
	b.formula(sheet, 14, row, "IF(I%[1]d<H%[1]d,\"yes\",\"\")", row)
	b.formula(sheet, 15, row, "%d*Working!%s%d", g, column(firstStage+perStage*stages+2), row)
	b.formula(sheet, 16, row, "D%[1]d-O%[1]d", row)
}

// summary writes the first sheet.
func (b *book) summary(p Plan) {
	const sheet = "Haircut"
	b.put(sheet, 1, 1, p.Title)
	b.put(sheet, 1, 3, "Buffer (change it: everything follows)")
	if p.Shared {
		b.put(sheet, 2, 3, float64(p.Share)/1000)
	}
	b.put(sheet, 3, 3, "0.15 keeps 15 % back; empty: the policy in force")
	input, err := b.f.NewStyle(&excelize.Style{
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFF2CC"}}, Font: &excelize.Font{Bold: true}, NumFmt: 10,
	})
	b.keep(err)
	b.keep(b.f.SetCellStyle(sheet, BufferCell, BufferCell, input))
	for i, line := range []struct{ name, formula string }{
		{"GPUs assigned", "SUM(Partitions!J:J)"},
		{"GPUs sustainable", "SUM(Partitions!K:K)"},
		{"GPUs assigned above sustainable", "SUM(Partitions!L:L)"},
		{"Partitions above the line", "COUNTIF(Partitions!L:L,\">0\")"},
		{"GPUs unallocated", "SUM(Partitions!M:M)"},
		{"Basis cluster: GPUs cut", "SUM(Quotas!J:J)"},
		{"  of them above usage", "SUM(Quotas!K:K)"},
		{"  of them held by idle jobs", "SUM(Quotas!L:L)"},
		{"  of them the rest", "SUM(Quotas!M:M)"},
		{"  grants cut", "COUNTIF(Quotas!J:J,\">0\")"},
		{"  grants that fall below their gang", "COUNTIF(Quotas!N:N,\"yes\")"},
		{"Basis quota: GPUs cut (every grant × (1 − buffer), before gangs are spared)", "SUM(Quotas!P:P)"},
		{"  grants cut", "COUNTIF(Quotas!P:P,\">0\")"},
	} {
		b.put(sheet, 1, 5+i, line.name)
		b.formula(sheet, 2, 5+i, "%s", line.formula)
	}
}
