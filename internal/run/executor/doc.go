// Package executor has the visits of nodes carried out by the executors that their updates name: it
// begins work outside, looks how it stands, and reports the end of each visit as a command.
//
// It remembers nothing that matters. Which visits are under way stands in the state; work is
// looked up by its ID before it is begun, so a crash at any point begins nothing twice.
// Updates that people carry out are left to people.
//
// Read executor.go (what an executor is), runner.go (one turn), then visits.go (what a visit
// still needs).
package executor
