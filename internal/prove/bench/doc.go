// Package bench measures Muster on the machine it runs on: the figures of
// `muster bench`.
//
// A bench (bench.go) is a name and a function; All is the list to which new ones
// are added. Each figure of its report stands beside what it should be compared
// with, measured in the same run: a number without its neighbour says nothing
// about an unknown machine.
//
// The first bench, submit, asks how fast commands are accepted: submit.go is its outline, raw.go SQLite
// without Muster, rates.go Muster on SQLite, and decide.go the deciding alone. The others:
//
//	growth.go, curves.go         how the cost of a decision grows
//	memory.go, restart.go        what a fleet costs to keep, and to find again
//	mend.go, signals.go          from a failure to the mended plan; a storm of signals
//	kueue.go, kai.go, kaimake.go   the cases of other projects; peers.go is what their authors publish
//	whole.go, wholereport.go     a large fleet's day
//	year.go, past.go             a year of a fleet, and what remembering it costs
//	planner.go, update*.go       planned work, and a year of updates
//	churn.go, siege.go           crowds that ask for more than there is; a hostile caller
//	pages.go, tab.go             pages, and readers who keep them open
//
// They share fleets.go (the fleets that are measured), stage.go (the engine of production in virtual time),
// orders.go, forgetful.go, laps.go, cores_*.go and thread_*.go. markdown.go makes reports a part of a document.
package bench
