// Package kueue says what Kueue's objects should be where a cluster keeps Kueue and
// Muster says how much of each quota is backed. Every function is pure: the state
// and the cluster's objects in, what to write and what to tell out.
//
// A ClusterQueue's nominal quota is what backs its quota now, and flex is a queue of what no
// quota is promised.
//
//	want.go      the figures of every queue, from the state
//	queue.go     the objects as they are
//	plan.go      which of them to write; what another writer has changed is left alone
//	workload.go  what Kueue says of the work that it keeps waiting
package kueue
