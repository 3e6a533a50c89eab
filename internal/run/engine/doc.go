// Package engine is the single writer: commands in, durable events out.
//
// One goroutine decides (it owns the state), another makes what was decided durable in
// groups (writer.go), and only then are the callers answered and the clusters told:
// a driver by what has changed (carrier.go), and what compares clusters with the state
// by a call that wakes it (waker.go). Reads see the state between two commands (read.go);
// who reads for long reads a mirror of it (mirror.go). Time passes by alarms that the
// state asks for.
package engine
