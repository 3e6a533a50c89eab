// Package driver is the contract of what carries decisions out on a cluster, told by
// what has changed.
//
// Muster decides, the journal makes the decision durable, and only then is the driver
// told: these replicas run, those leave by a moment, those went down with their node,
// this workload is over. What happens on the cluster comes back as Reports, which
// become commands like any other.
//
// A driver hears everything in the order of the log, and Resync first: all that stands,
// whatever it was told before. So a driver may be the part that died, or the part that
// lived on. The package simulated is a driver without a cluster, in virtual or real time.
//
// A Kubernetes cluster needs no driver: package kube compares the state itself with the
// cluster, and is only woken when something was decided there (engine.Options.Wake).
package driver
