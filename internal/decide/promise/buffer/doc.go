// Package buffer says how many more nodes of a pool may go down within a
// horizon, with a wanted confidence: the part of a buffer policy that is
// statistics (semantics §2). A pool is an island, or all islands of a partition
// that one policy governs.
//
// Read claim.go first: what a policy claims, and how nodes down now, nodes
// expected to follow, floor and ceiling become a promise. prior.go is what is
// believed before there is history: a beta-binomial with a term for racks.
// binomial.go fits that shape to the pool's own history, calibrated.go takes the
// quantile of what the history shows and corrects it by its own misses.
// spares.go asks the same question for a gang.
//
// All is a pure function of the past, fed hour by hour. Arithmetic inside is in
// floating point, in one fixed order and with every product rounded on its own,
// so that all machines agree; what comes out are whole nodes.
package buffer
