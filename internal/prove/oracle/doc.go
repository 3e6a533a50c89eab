// Package oracle judges random stories by laws written from the contract alone.
//
// A story (story.go, random.go; planned.go adds planned work, randomtight.go tight nodes) is told by package scenario. After each record a
// photo of the fleet is taken from outside (photo.go): the figures that people read
// and what stands on which node. Every law (laws.go) compares the photos before and
// after the record; none of them asks promise or placement what they decide.
//
// The laws stand by subject: figures.go (every figure adds up), backing.go (quota
// stands on nodes), standing.go (how work holds its GPUs) and
// evictions.go (who has to leave, with fair.go for flex and minimal.go for sets of victims).
//
// What may be left waiting is in waiting.go and growth.go, and what nodes take beside their GPUs in tight.go. What follows a failed node
// is in mending.go, and what explanations claim in reasons.go.
//
// fit.go is the model that they share: whether work fits a private cluster; freeroom.go
// is the same on real nodes. tell.go
// runs a story. shrink.go makes the story of a finding small.
//
// Where the contract leaves a choice, a law says only what every reading of it says.
package oracle
