// Package explain says why a workload waits: its blockers in the order of the
// contract. The first blocker is the workload's reason.
//
// Each blocker is data with a code, a class, figures and culprits (blocker.go).
// why.go asks the same rules that decide. inquota.go and onflex.go have one kind of
// target each; counts.go says which work counts against which; next.go says when
// something is known to change. Package whatif tries what would help.
package explain
