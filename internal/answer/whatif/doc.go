// Package whatif answers questions of the form "what if somebody did this": it
// does it to a copy of the state, with the very engine that decides (core.Step),
// and looks what comes of it. Nothing is shown to people that was not tried.
//
// trial.go does commands to a copy and follows a workload until it runs or
// stands still; bench.go counts the tries, which are bounded. changes.go finds
// what would let a waiting workload start: what its submitter can do
// (submitter.go), what a quota owner or operator can (owner.go), and what time
// brings (time.go). fit.go asks where a workload would run that nobody has
// submitted yet.
//
// The room is pure: how long a question may take, the caller says (Budget).
package whatif
