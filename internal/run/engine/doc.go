// Package engine is the single writer: commands in, durable events out.
//
// One goroutine decides; it owns the state. Another makes decisions durable in groups
// (writer.go). Only then are the clusters told, and after them the callers answered. A
// driver is told what has changed (carrier.go). A reconciler, which compares a cluster
// with the state by itself, is woken by records that name its workloads (waker.go).
//
// The ways to read; what they show must not be changed:
//
//	          shows                         waits for              keeps waiting         costs
//	Read      the state as it was decided   a decision, then disk  every decision        nothing
//	Look      what is durable               who studies            who studies           a mirror
//	Study     the same, to one at a time    who looks or studies   who looks or studies  the same mirror
//	Ponder    the same, to one at a time    others who ponder      others who ponder     a second mirror
//	Peek      who may call, and the policy  nothing                no other              a small copy
//	LookBack  the state at a past moment    others who look back   others who look back  a rebuilt state
//
// Read (read.go) returns once what it saw is durable, and becomes Look while the journal
// cannot be reached. Look and Study share a mirror of the state, Ponder has one of its own
// (mirror.go); each takes as much memory as the state. The first look copies the state:
// decisions wait for that copy, and for no other look. The planner keeps notes in the state
// that it is asked about, so it is asked by Study or Ponder. Ponder is for what takes longer
// than some milliseconds: a long look or study delays all others of its mirror. Peek
// (callers.go) reads a small copy, which may not be durable yet. LookBack (lookback.go) rebuilds
// a state from a snapshot and the log, and keeps the last one. StateAt rebuilds one for its
// caller to change.
//
// Time passes by alarms that the state asks for.
//
// When something goes wrong: outage.go waits for a journal that cannot be reached, and
// panics.go goes on after a mistake of Muster's own. snapshot.go makes restarts short;
// follow.go lets a standby read what another process writes.
package engine
