// Package engine is the single writer: commands in, durable events out.
//
// One goroutine decides; it owns the state. Another makes decisions durable in groups
// (writer.go). Only then are the clusters told, and after them the callers answered. A
// driver is told what has changed (carrier.go). A reconciler, which compares a cluster
// with the state by itself, is only woken (waker.go).
//
// Reads see the state between two commands (read.go); a long read uses a mirror of it
// (mirror.go), and there is another mirror for the longest. Who may call is known beside the state
// (callers.go). Time passes by alarms that the state asks for.
//
// When something goes wrong: outage.go waits for a journal that cannot be reached, and
// panics.go goes on after a mistake of Muster's own. snapshot.go makes restarts short;
// follow.go lets a standby read what another process writes.
package engine
