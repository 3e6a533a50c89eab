// Package health says what state a node should be in, from the signals about it
// and the policy (semantics §6).
//
//	             signals (rules of the policy)
//	healthy ───────────────────────────────► suspect ──► back, when it is over
//	   │  ▲                                     │
//	   │  │ 24 h                                ▼ worse, or for too long
//	   │  probation ◄── validation passed ── quarantined → repairing → validating
//	   │                                        ▲                         │ failed
//	   └────────────────────────────────────────┴─────────────────────────┘
//
// Read rule.go first (what a condition of a node asks for). Then read diagnose.go, the
// numbered steps of a diagnosis of a partition. burst.go says whether one signature on many
// nodes flags the job or the monitor. breaker.go says whether automation wants too much at
// once and must stop. What is left changes the state of nodes within the budget. lemon.go finds repeat offenders, cause.go says why a workload
// failed, gather.go turns what monitors send into what the log keeps.
//
// Everything is a pure function of the state and one moment: nothing remembers
// here. Core turns a Diagnosis into events.
package health
