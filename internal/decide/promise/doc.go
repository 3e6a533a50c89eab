// Package promise says how much can be promised, and in which islands it stands.
//
// Read capacity.go first: it turns a partition's health into the nodes that may be promised
// now (fast down, slow up). foresight.go is what policies that learn know of the past; the
// statistics are package buffer.
//
// align.go then maps grants to islands in the numbered steps of semantics §3:
//
//	gangs.go, runninggangs.go  whole gangs come first
//	shares.go            the rest is shared among loose parts
//	moves.go             everything moves as little as possible
//	letin.go             gangs that stand nowhere yet are let in, where no work's cover has to go
//	follow.go            idle backing moves to uncovered work
//	trade.go, moving.go  where need be in exchange for that of others
//	reunite.go           idle loose backing comes back into one island
//
// stand.go holds what an alignment knows, cover.go what of it running work needs. dip.go brings back a backing that stood
// before, and uncovers.go says what that means to running work. The result is data. Core compares it with what is in force and records the difference.
package promise
