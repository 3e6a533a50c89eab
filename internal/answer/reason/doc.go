// Package reason is the list of the reasons for which work waits (semantics §7): their
// codes, who can do something about each, and what part of all waiting it counts for (reason.go).
// Where an owner of a quota can help, or operators alone, helps.go says.
// A new reason has its row here; the other steps are in CONTRIBUTING.md. When a reason holds,
// answer/explain decides.
//
// The room is pure, and imports nothing.
package reason
