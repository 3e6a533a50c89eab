// Package engine is the single writer: commands in, durable events out.
//
// One goroutine decides; it owns the state. Another makes decisions durable in groups
// (writer.go). Only then are the clusters told, and after them the callers answered. A
// driver is told what has changed (carrier.go). A reconciler, which compares a cluster
// with the state by itself, is only woken (waker.go).
//
// Reads see the state between two commands (read.go); a long read uses a mirror of it
// (mirror.go). Time passes by alarms that the state asks for.
package engine
