// Package view turns the state into the rows that people read: every figure of
// the contract, in its words, in GPUs.
//
// A view is a pure function of a state; nothing here decides or remembers.
//
//	partition.go, quota.go, lending.go   the figures of capacity, and what quotas borrow
//	capacity.go          their sums over clusters and the fleet
//	namespace.go         the shares of flex
//	promise.go           what islands promise, and the spares that gangs need
//	usable.go, reader.go what a reader can use now, and which work they may read
//	node.go, held.go     single nodes, and how their GPUs are held
//	health.go            nodes by state and cause, and work that hangs
//	workload.go, position.go   single workloads, and how many wait before them
//	request.go           what is asked for, and who could give it
//	coming.go, coming_planned.go   what is known to be coming
//	rollout.go, update.go, zone.go, maintenance.go   planned work
//	planned.go, plannedwork.go     all of it, and what of it concerns a place or a workload
//	letter.go, letter_running.go, addressee.go  what a haircut tells whom
//	story.go             what happened to a workload
//	check.go             which sums must always add up, for tests and watchdogs
package view
