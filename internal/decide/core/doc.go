// Package core is the only place that turns commands into events and events
// into state.
//
// Step is the whole of it: Decide asks what a command means for the state
// (events, or a refusal), Apply puts events into the state, and Settle lets
// promise and placement react until nothing more changes. All of it is a pure
// function of the state, the request and one moment.
//
// Read step.go, then decide.go with table.go (a row for each command: who may give it, and
// who decides it), apply.go, and settle.go. The rest stands by subject:
//
//	command*.go                                    the commands
//	permit.go, check.go, refusal.go, code.go       who may, what is wrong, how it is refused
//	decide_*.go, haircut_*.go, resize.go, …        what commands mean
//	apply_*.go                                     what events change
//	diagnose.go, maintain.go, advance_buildout.go  what else reacts after a command
//	batch.go, takeback.go, protection.go           turns that decide several things
package core
