// Package promise says how much can be promised, and in which islands it stands.
//
// Read capacity.go first: it turns a partition's health into the nodes that may
// be promised now (fast down, slow up). What policies that learn know of the past is
// foresight.go; the statistics are package buffer. align.go then maps grants to islands in
// the numbered steps of semantics §3: gangs first (gangs.go), the rest shared
// among loose parts (shares.go), everything moved as little as possible
// (moves.go), gangs that stand nowhere yet let in where nobody's cover has to go
// (letin.go), idle backing moved to uncovered work (follow.go), where need be in exchange
// for that of others (trade.go, moving.go), and into one island (reunite.go). stand.go holds
// what an alignment knows, cover.go what of it running work needs. The result is
// data; core compares it with what is in force and records the difference.
package promise
