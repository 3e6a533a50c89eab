// Package walls holds the rooms apart: a test of which room may import
// which, and of what the pure rooms may not know (clock, randomness, I/O,
// goroutines, locks, loggers). It has no code of its own to import.
//
// rooms_test.go is the table and the file to edit when a room is added. ground_test.go
// finds the project's folders and files. imports_test.go and purity_test.go are the two
// checkers. walls_test.go runs them over the project, and proof_test.go runs them over small bad rooms, to show that they bite.
//
// The others keep what else goes stale:
//
//	docfiles_test.go   the files that a doc.go names
//	docrooms_test.go   the rooms that it draws
//	steps_test.go      the names of files and code in CONTRIBUTING.md and docs/architecture.md
//	fixed_test.go      the files that may ask whether a buffer policy is fixed
//	generated_test.go  generated code
//	modules_test.go    the marks in go.mod
package walls
