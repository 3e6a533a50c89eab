// Package invariant says what must always hold of a state (semantics §10), and
// finds where it does not. Tests and simulation ask after every record; a
// server asks After every 64th one, of all partitions. A finding is always a mistake of ours, never of a user.
//
// Read broken.go for the questions that can be asked. Then read the laws, a file each:
//
//	promise.go   never overpromise
//	nodes.go     no GPU held twice
//	gang.go      whole and within reach
//	cover.go     every quota and every tree is a private cluster
//	figures.go   the figures add up
//	lives.go     a workload's state says what it holds
//	eviction.go  which work may be evicted for which
//
// The recount_*.go files derive every
// index of the state again, from its nodes and workloads alone, and compare.
//
// A law looks at a state at rest: between two commands, when promise and
// placement have nothing left to decide.
package invariant
