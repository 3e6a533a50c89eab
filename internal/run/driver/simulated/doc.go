// Package simulated is a driver without a cluster: replicas start and stop,
// workloads end after the runtime that is this driver's secret, nodes fail and
// come back, all of it a function of a seed.
//
// driver.go is the contract's side: what Muster says. job.go is what one workload does
// on the simulated cluster. Whole it makes progress; otherwise it stands still, and what
// it had not saved at a checkpoint is lost. timeline.go keeps
// what will happen next. faults.go makes nodes fail at the rates and down times
// of settings.go. Time is virtual (Due, Take) or real (pump.go).
package simulated
