// Package promise says how much can be promised, and in which islands it stands.
//
// Read policy.go first: it turns a partition's health into the nodes that may
// be promised now (fast down, slow up). align.go then maps grants to islands in
// the numbered steps of semantics §3: gangs first (gangs.go), the rest shared
// among loose parts (shares.go), everything moved as little as possible
// (moves.go). The result is data; core compares it with what is in force and
// records the difference.
package promise
