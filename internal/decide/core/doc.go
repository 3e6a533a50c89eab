// Package core is the only place that turns commands into events and events
// into state.
//
// Step is the whole of it: Decide asks what a command means for the state
// (events, or a refusal), and apply puts each event into the state. Then settle lets
// health, promise, maintenance, placement and buildout react, in the order of settle.go, until nothing
// more changes. ApplyRecord puts whole records of the log into a state, where nothing is decided. All
// of it is a pure function of the state, the request and one moment.
//
// Read step.go, then decide.go with table.go (a row for each command: who may give it, and
// who decides it), apply.go, and settle.go. The rest stands by subject:
//
//	command*.go                               commands of several subjects, and of large ones
//	permit.go, check.go, meant.go, meant_*.go, refusal.go, code.go  who may, what is wrong, how it is refused
//	decide_*.go                               what commands mean; a small subject has its commands here, too
//	haircut_*.go                              a haircut: its plan, its trial, its waves, and back
//	resize.go, gangsize.go                    the size of a pool, and of a gang that a cluster declares
//	adopt.go, observe.go, makerlines.go       work that Muster did not start
//	nodename.go                               names of nodes that people shorten
//	proposalbase.go                           what a proposal rests on
//	apply.go, apply_*.go                      what events change: metal, people, grants, work and replicas in
//	                                          apply.go; clusters that are built, haircuts, health and maintenance
//	diagnose.go, maintain.go, advance_buildout.go, endgrant.go   what else reacts after a command
//	overdue.go                                orders to leave that are not followed
//	dip.go                                    nodes that come back from suspect
//	restart.go                                work that stops on nodes that are visited, and starts on others
//	batch.go, takeback.go, protection.go      turns that decide several things
package core
