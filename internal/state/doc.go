// Package state is the floor of nouns and facts. It has no code of its own.
//
//	fleet   cluster, partition, island, node, quota, workload; the state and its indexes
//	event   what happened: stable names, versions, how old versions are read
//	text    durations, counts and shortened texts, as messages write them
//
// event stands on fleet. Nothing here decides.
package state
