// Package view turns the state into the rows that people read: every figure of
// the contract, in its words, in GPUs.
//
// A view is a pure function of a state; nothing here decides or remembers.
// partition.go and quota.go hold the capacity figures, with lending.go for what
// quotas borrow. capacity.go sums them over clusters and the fleet. namespace.go has
// the shares of flex, node.go and workload.go single things; rollout.go,
// update.go, zone.go and maintenance.go have planned work. check.go says which sums
// must always add up, for tests and watchdogs.
package view
