package sheet

import "fmt"

// A plan takes nodes in six stages: sparing gangs, then not; each time what is
// above usage, what idle jobs hold, and the rest (package haircut, classes.go).
const (
	stages  = 6
	classes = 3
)

// The columns of sheet Working. Each stage has four from firstStage on.
const (
	colPartition, colQuota           = 1, 2
	colGrant, colGang, colBeside     = 3, 4, 5
	colHas                           = 6 // and the two after it: one for each class
	firstStage                       = 9
	available, floor, remainder, cut = 0, 1, 2, 3
	perStage                         = 4
)

// The columns of sheet Partitions that the stages use: what is still to be taken,
// what there is, and what the rounded-down shares sum to, for each stage.
const (
	firstNeed = 16
	perNeed   = 3
)

func stageColumn(stage, what int) string { return column(firstStage + perStage*stage + what) }
func needColumn(stage, what int) string  { return column(firstNeed + perNeed*stage + what) }

// stageFormulas are one grant's cells of a stage. Its partition stands in row at
// of sheet Partitions, and has the rows first to last of Working.
func stageFormulas(stage, row, at, first, last int) [perStage]string {
	cell := func(col int) string { return fmt.Sprintf("%s%d", column(col), row) }
	class, sparing := stage%classes, stage < classes
	had, keep, taken := cell(colHas+class), "0", "0"
	if sparing {
		keep = cell(colGang)
		if class == 0 {
			keep += "+" + cell(colBeside)
		}
	} else {
		had += "-" + fmt.Sprintf("%s%d", stageColumn(stage-classes, cut), row)
	}
	for before := range stage {
		taken += fmt.Sprintf("+%s%d", stageColumn(before, cut), row)
	}
	need := fmt.Sprintf("Partitions!$%s$%d", needColumn(stage, 0), at)
	total := fmt.Sprintf("Partitions!$%s$%d", needColumn(stage, 1), at)
	floors := fmt.Sprintf("Partitions!$%s$%d", needColumn(stage, 2), at)
	has, share, rem := fmt.Sprintf("%s%d", stageColumn(stage, available), row), fmt.Sprintf("%s%d", stageColumn(stage, floor), row), stageColumn(stage, remainder)
	take := fmt.Sprintf("MIN(%s,%s)", need, total)
	rank := fmt.Sprintf("COUNTIF(%[1]s$%[2]d:%[1]s$%[3]d,\">\"&%[1]s%[4]d)+COUNTIF(%[1]s$%[2]d:%[1]s%[4]d,%[1]s%[4]d)", rem, first, last, row)
	return [perStage]string{
		available: fmt.Sprintf("MAX(0,MIN(%s,%s-(%s)-(%s)))", had, cell(colGrant), taken, keep),
		floor:     fmt.Sprintf("IF(%[1]s=0,0,QUOTIENT(%[2]s*%[3]s,%[1]s))", total, take, has),
		remainder: fmt.Sprintf("IF(%[1]s=0,0,MOD(%[2]s*%[3]s,%[1]s))", total, take, has),
		cut:       fmt.Sprintf("%s+IF(%s<=%s-%s,1,0)", share, rank, take, floors),
	}
}

// needFormulas are a partition's cells of a stage.
func needFormulas(stage, row, first, last int) [perNeed]string {
	need := fmt.Sprintf("I%d", row) // the excess, in nodes
	if stage > 0 {
		need = fmt.Sprintf("%s%d-SUM(Working!%[3]s%[4]d:%[3]s%[5]d)", needColumn(stage-1, 0), row, stageColumn(stage-1, cut), first, last)
	}
	sum := func(what int) string {
		return fmt.Sprintf("SUM(Working!%[1]s%[2]d:%[1]s%[3]d)", stageColumn(stage, what), first, last)
	}
	return [perNeed]string{need, sum(available), sum(floor)}
}
