// Package placement decides which work runs where. It looks at one partition and
// returns the next Plan, or none. Core turns a plan into events, applies them and
// asks again, until nothing changes.
//
// The algorithm. A waiting unit starts if its nodes are free: in quota inside its
// quota's backing (guaranteed) or its tree's (borrowing), on flex wherever quota leaves
// room. If they are not, the work that it may evict is listed from the cheapest on: flex,
// unprotected, borrowing, less important; inside a class the least important first, then
// what loses the least. Victims are taken from that list until the unit fits, and then
// given back, the dearest first, wherever it still fits without them. Eviction and
// reservation are one plan, so no work leaves unless the newcomer starts because of it.
//
// Where it deviates, and why it ends (docs/adr/0006-who-gives-way.md):
//
//   - Classes are judged with the newcomer admitted and all other victims gone (class.go,
//     borrowers.go). A borrower is not evicted for another borrower if that would let other
//     work of its quota in as guaranteed, which would evict the newcomer in turn (successors.go).
//   - Among few candidates every set is tried, so the cheapest is found; among many the set
//     is minimal (search.go, giveback.go, bounds.go).
//   - A pool shrinks before its workload goes whole (shrink.go, surplus.go).
//   - On flex a set must be fair: an eviction between namespaces gives the one that gains
//     a use within its share (shares.go, fairset.go).
//   - Replicas smaller than a node are packed as if no flex work were there (smallreplicas.go).
//   - Work whose reserved room is free starts after all that could take the room was asked (next.go).
//   - Work that is evicted again and again rests before it starts on room of others (rest.go,
//     docs/adr/0017-work-that-is-evicted-again-and-again-rests.md).
//   - It ends because admission and eviction use one order: in quota a newcomer comes before
//     its victims in that order and takes what they had, on flex every eviction brings a
//     namespace towards its share or raises the importance of what it runs.
//
// The files, from the ground up; each uses only those before it, with few exceptions:
//
//   - nouns: plan.go, unit.go, victim.go, bycost.go, claim.go, memory.go, planner.go, standing.go
//   - room: ahead.go, tight.go, room.go, fill.go, wholenodes.go, space.go, packing.go, packtight.go, multipool.go, freeroom.go, privatecluster.go
//   - how work holds its GPUs: rest.go, cover.go, limits.go, insideholds.go, classify.go
//   - who may be evicted: class.go, successors.go, borrowers.go, flexcandidates.go, giving.go, shares.go, victims.go, mostgiven.go
//   - which of them: overlay.go, bounds.go, most.go, nowhere.go, leftbyshares.go, touching.go, giveback.go, surplus.go, shrink.go, lastsearch.go, search.go, fairset.go, shortlist.go
//   - what a unit gets: preempt.go, smallreplicas.go, inquota.go, mend.go
//   - which unit is asked: queuewalk.go, returning.go, flexreturning.go, backfill.go, flex.go, pass.go, query.go, reserved.go, partitions.go, admit.go, exposed.go, grow.go
//   - what comes first: release.go, next.go
package placement
