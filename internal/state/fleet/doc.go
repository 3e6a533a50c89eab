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
// replica holds its GPUs (guaranteed, borrowing, unprotected, flex). The rest by subject:
//
//	nodes         metal.go, footprint.go, downs.go, history.go, dip.go
//	their health  healthstate.go, healthpolicy.go, condition.go, signal.go, acknowledged.go, failure.go, incident.go
//	planned work  maintenance.go, nodeupdate.go, rollout.go, visit*.go, runs.go, measured.go, notice.go, zone.go, attention.go
//	quota         tree.go, backing.go, alignment.go, temporary.go, earmark.go, haircut.go, request.go, pledge.go, accountuse.go
//	work          shape.go, origin.go (where it was seen), mayrun.go (in which partitions it may run),
//	              lifecycle.go, alive.go, targeting.go, usage.go, rest.go, leaveorder.go, few.go, shared.go
//	queues        queue.go, sortedqueue.go, enqueue.go
//	clusters      lives.go, life.go, blueprint.go, cloud.go, targets.go
//	people        principal.go, callers.go, binding.go, servicetoken.go, signoff.go, proposal.go, subscription.go
//	the whole     encode.go, hash.go, clone.go, fork*.go, arena.go, find.go, tally.go, takeback.go, alarm.go
//
// Two files save decisions a look: changes.go counts what changed, by whom it may
// concern, and worklists.go lists the few workloads to look at again and again. What those
// who decide conclude from that is their own memory (memory.go): the state carries it, and
// does not read it. Fork copies it, Clone does not.
//
// The room is pure: it knows no clock, no randomness and no I/O.
package fleet
