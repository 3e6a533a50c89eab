// Package fleet holds the nouns of a fleet (cluster, partition, island, node,
// quota, workload) and the State that every decision reads.
//
// The rule of the room: what a state encodes (encode.go) is exactly what the log has
// said, and every other figure is derived from it. Replicas take and give back GPUs in
// one place (replicas.go): it takes the node out of all counts, changes it, and counts it
// again (tally.go). So each figure is what a recount of everything would give, and costs
// what the change costs. A state that is loaded derives all figures anew (Rebuild).
//
// Read it in this order: instant.go, policy.go and buffer.go (small values), node.go and
// partition.go (nodes), quota.go, spec.go, workload.go and importance.go (people's side), then state.go
// (all of it together) and replicas.go. Backing is counted in nodes where a name says
// Nodes, in GPUs where it says GPUs. A Hold earmarks GPUs until a date; HeldAs says how a
// replica holds its GPUs (guaranteed, borrowing, unprotected, flex).
//
// Two files save decisions a look: changes.go counts what changed, by whom it may
// concern, and worklists.go lists the few workloads to look at again and again. What those
// who decide conclude from that is their own memory (memory.go): the state carries it, and
// does not read it. Fork copies it, Clone does not.
//
// The room is pure: it knows no clock, no randomness and no I/O.
package fleet
