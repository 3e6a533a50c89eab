// Package simulate replays job traces against a fleet in virtual time, through
// the same engine as production.
//
// options.go says what may be asked. plan.go turns a trace's jobs into workloads
// and faults.go a fault trace into what befalls the fleet's nodes. run.go is the
// loop: the earliest thing happens next (a driver's report before a fault, a
// fault before a submission, a submission before a mere alarm), and the engine
// decides. meter.go, losses.go and tally.go measure on the way, declare.go and
// forecasts.go how well forecasts hold; reschedule.go is the world without mending,
// to compare with. report.go is what comes out, and table.go how people read it.
//
// A run is a function of its options: the same input gives the same report but
// for the time and memory it took.
package simulate
