// Package sheet writes a haircut as a spreadsheet that lives: the buffer stands in
// one cell, and every figure of the plan follows it by formulas.
//
// workbook.go lays the sheets out, stages.go writes the formulas of semantics §4
// (class by class, pro rata, largest remainder, gangs spared first), rows.go is
// the same plan as CSV.
package sheet
