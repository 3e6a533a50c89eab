// Package maintenance decides about planned work on nodes: which node is visited
// next, or why none is (the contract: docs/contract/maintenance.md).
//
// Next is all that core asks, again and again until there is nothing left to do:
// visits that go on (visits.go), announced maintenances (notices.go), canaries that end
// their soak (trials.go), the search for the updates that fail (hunt.go), work that stops
// for its nodes (stops.go), and rollouts (rollouts.go), which choose among candidates
// (candidates.go). Each answer is data; core makes events of it. Of says the same about
// one rollout for people: its stage and what it waits for.
//
// bundle.go says what a visit brings to a node, zones.go which visits are forbidden, impact.go
// whether a claim of harmlessness holds, and wake.go when time alone changes an answer. Whether a
// promise would break is promise's own question (promise.Part).
package maintenance
