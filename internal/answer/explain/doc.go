// Package explain says why a workload waits: its blockers, in the order of the
// contract, each as data with a code, a class, figures and culprits (blocker.go).
// why.go asks the very rules that decide, inquota.go and onflex.go for each kind
// of target; counts.go says who counts against whom, next.go when something is
// known to change. The first blocker is the workload's reason. What would help is
// not said here: package whatif tries it.
package explain
