// Package driver is the contract of what carries decisions out on a cluster, told by
// what has changed.
//
// Muster decides, the journal makes the decision durable, and only then is the driver
// told: these replicas run, those leave by a moment, those went down with their node,
// this workload is over. What happens on the cluster comes back as Reports, which
// become commands like any other.
//
// A driver hears everything in the order of the log, and Resync first: all that should
// stand now, whatever it was told before. So Muster may restart while the driver goes on,
// and the driver may restart with nothing in memory.
//
// A Driver is one of two ways to carry decisions out. Write one where Muster alone starts
// and stops work, through orders: a simulator (package simulated). A batch system that takes
// start and stop would be one, too, but needs more than a Job has: what to run, and the names
// of nodes, which spots only count. Write a reconciler where the cluster shows its objects and others
// change them too: package kube reads the state, compares it with the cluster, and is only
// woken when something was decided about a workload there (engine.Options.Wake). It is no
// Driver, yet it uses this room's words for a workload, its replicas and what has left:
// Job, Tally, Slot and Stopped.
//
// Driver is all that the engine needs. A server also needs Pumped: Pump hands reports over
// when they are due. A driver brings no nodes: people add them (`muster apply`), and a
// report about a node that the state does not know is refused.
package driver
