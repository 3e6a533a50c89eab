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
// node, scope.go which nodes a rollout covers, stages.go what has not begun, and census.go with cells.go
// how far each node is. freeze.go says which visits leave work where it is. next.go has the
// actions; alarm.go, wake.go and stirred.go say when to look again.
// zones.go and zonedays.go say which visits are forbidden, provider.go what the provider forced untested,
// excuse.go what follows where canaries failed for another cause, measured.go whether a claim of harmlessness
// holds. Whether a promise would break is
// promise's own question (promise.Part).
//
// For people there are waits.go (the codes of why a visit waits) and board.go (what a zone
// costs), and plans.go (planned work on one node). ahead.go tells placement on which nodes planned work lies ahead.
package maintenance
