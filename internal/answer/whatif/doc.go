// Package whatif answers questions of the form "what if we did this?". It does it
// to a copy of the state, with the same engine that decides (core.Step), and looks
// what comes of it. Nothing is shown to people that was not tried.
//
// trial.go does commands to a copy and follows a workload until it runs or
// stands still. tries.go counts the tries, which are bounded. changes.go finds what
// would let a waiting workload start: by its submitter (submitter.go), by a quota
// owner or operator (owner.go), and by time (time.go). fit.go asks where a workload
// would run before it is submitted.
//
// The room is pure: the caller says how long a question may take (Budget).
package whatif
