// Package explain says why a workload waits: its blockers, in the order of the
// contract, each as data with a code, a class, figures and culprits (blocker.go).
// why.go asks the very rules that decide; text is made of the data at the edge,
// by Blocker.Text. The first blocker is the workload's reason.
package explain
