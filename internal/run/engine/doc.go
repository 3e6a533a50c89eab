// Package engine is the single writer: commands in, durable events out.
//
// One goroutine decides (it owns the state), another makes what was decided
// durable in groups, and only then are the callers answered. Reads see the
// state between two commands. Time passes by alarms that the state asks for.
package engine
