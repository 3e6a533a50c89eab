// Command compare runs the same work on real control planes, through Muster and through
// other schedulers, and measures how long pods wait and what that costs:
//
//	make compare ARGS='-work jobs,gang -runs 1'
//
// Every measurement has a control plane of its own, from an empty state (measure.go). A
// task (task.go) says which nodes stand there, what runs before, and which Jobs are made
// then. A way (way.go) is one way to have them run: it starts its programs and dresses the
// Jobs as its users would. The ways of others are in a file each; floor.go has two
// that none of them can be faster than. Ways take turns within each run, and another
// one begins each time, so that a busy machine does not harm one alone.
//
// podwatch.go sees when pods are bound and run; process.go and apiwrites.go count processor time,
// memory and writes. result.go makes medians of the samples, table.go the table of
// docs/compare.md; docs/figures/compare.json keeps them for the picture.
package main
