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
//	apply_*.go                                what events change, by the same subjects as decide_*.go
//	haircut_*.go                              a haircut: its plan, its trial, its waves, and back
//	resize.go, gangsize.go                    the size of a pool, and of a gang that a cluster declares
//	adopt.go, observe.go, makerlines.go       work that Muster did not start
//	nodename.go                               names of nodes that people shorten
//	proposalbase.go                           what a proposal rests on
//	diagnose.go, maintain.go, advance_buildout.go, endgrant.go   what else reacts after a command
//	overdue.go                                orders to leave that are not followed
//	dip.go                                    nodes that come back from suspect
//	restart.go                                work that stops on nodes that are visited, and starts on others
//	batch.go, takeback.go, protection.go      turns that decide several things
//
// Where a subject has no apply_*.go of its own, its events are few, and stand with those of a larger one:
//
//	apply_access.go       also decide_proposal.go, decide_session.go
//	apply_buildout.go     also decide_blueprint.go, decide_steer.go
//	apply_fleet.go        also decide_server.go, decide_usage.go
//	apply_haircut.go      of haircut_*.go
//	apply_health.go       also decide_acknowledge.go
//	apply_maintenance.go  of decide_rollout.go, decide_update.go, decide_visit.go, decide_zone.go
//	apply_quota.go        also decide_request.go, decide_subscription.go
//	apply_work.go         also decide_target.go
//
// adopt.go, observe.go and resize.go have both for their subject.
package core
