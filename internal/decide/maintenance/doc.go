// Package maintenance decides about planned work on nodes: which node is visited
// next, or why none is. The contract is docs/contract/maintenance.md.
//
// Core asks Next again and again, until there is nothing left to do. Next looks at
// visits that go on (visits.go), then at announced maintenances (notices.go), then
// at canaries that end their soak (trials.go), then at work that has waited for its nodes
// (stops.go), and then at rollouts (rollouts.go). Only where no visit may begin it stops work
// for its nodes (stops.go). Last it makes nodes leaving whose work is to stop soon (leaving.go). A rollout chooses among candidates
// (candidates.go); where a canary failed, it searches for the updates that
// fail (hunt.go). Each answer is data; core makes events of it. Of says the same about
// one rollout for people: its stage and what it waits for.
//
// moments.go says when work is to stop at the latest, bundle.go what a visit brings to a
// node, scope.go which nodes a rollout covers, and census.go how far each of them is.
// zones.go says which visits are forbidden, measured.go whether a claim of harmlessness
// holds, and wake.go when time alone changes an answer. Whether a promise would break is
// promise's own question (promise.Part).
//
// For people there are waits.go (the codes of why a visit waits) and board.go (what a zone
// costs). ahead.go tells placement on which nodes planned work lies ahead.
package maintenance
