// Package explain says why a workload waits: its blockers in the order of the
// contract. The first blocker is the workload's reason.
//
// Each blocker is data with a code, a class, figures and culprits (blocker.go).
// why.go chooses the partition that comes closest; question.go asks there, by the same rules
// that decide. The blockers by subject:
//
//	anytarget.go  work of any target: its cluster is not ready, its gang is too large
//	inquota.go    work of a quota; counts.go says which work counts against which
//	held.go       holds inside its quota
//	onflex.go     work on flex; flexroom.go looks for its room
//	tight.go      nodes with too little beside GPUs; tightnode.go says which
//	ahead.go      planned maintenance
//	resting.go    rests after evictions
//	evicting.go   work that is told to leave; overdue.go: and does not
//
// reader.go says which work a reader is told of by name, and counts the other.
// cut.go says why a quota has less than it had, next.go when something is known to change. Package whatif tries what would help.
package explain
