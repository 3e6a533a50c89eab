// Package view turns the state into the rows that people read: every figure of
// the contract, in its words, in GPUs.
//
// A view is a pure function of a state; nothing here decides or remembers.
// partition.go and quota.go hold the capacity figures (lending.go says who
// borrows from whom), capacity.go their sums over clusters and the fleet,
// namespace.go the shares of flex, node.go and workload.go single things.
// check.go says which sums must always add up, for tests and watchdogs.
package view
