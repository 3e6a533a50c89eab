// Package explain says why a workload waits: its blockers in the order of the
// contract. The first blocker is the workload's reason.
//
// Each blocker is data with a code, a class, figures and culprits (blocker.go).
// why.go asks the same rules that decide, and has what keeps work of any target waiting.
// inquota.go and onflex.go have one kind of target each; held.go, ahead.go, resting.go and
// overdue.go have one subject each. flexroom.go looks for room on flex, counts.go says which work
// counts against which, and next.go when something is known to change. Package whatif tries
// what would help.
package explain
