// Package fleet holds the nouns of a fleet (cluster, partition, island, node,
// quota, workload) and the State that every decision reads.
//
// Read it in this order: instant.go and policy.go (small values), node.go and
// partition.go (metal), quota.go and workload.go (people's side), then state.go
// (all of it together) and replicas.go (the one place where work takes and gives
// back GPUs, so that every index stays true).
//
// The room is pure: it knows no clock, no randomness and no I/O. What a state
// encodes (encode.go) is exactly what the log has said; every index is derived
// from that and rebuilt on load.
package fleet
