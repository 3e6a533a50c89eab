// Package kueue says what Kueue's objects should be where a cluster keeps Kueue and
// Muster says how much of each quota is backed. Every function is pure: the state
// and the cluster's objects in, what to write and what to tell out.
//
// want.go computes the figures of every queue from the state: a ClusterQueue's
// nominal quota is what backs its quota now, and flex is a queue of what nobody is
// promised. queue.go reads the objects as they are, plan.go says which of them to
// write, and leaves alone what somebody else has changed since. workload.go reads
// what Kueue says of the work that it keeps waiting.
package kueue
