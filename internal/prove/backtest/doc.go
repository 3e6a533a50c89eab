// Package backtest tries buffer policies against a recorded past: every hour
// each policy issues a promise, knowing nothing but what was before, and the past
// then tells whether it was kept.
//
// Read pool.go first: the past of a pool of nodes, from a fault file (faults.go)
// or a journal (journal.go); racks.go says which nodes of a fault file stand together.
// policy.go is a buffer policy that can be tried, run.go the trial and its figures, report.go the whole
// table of policies, pools and horizons. hindsight.go is the best that a constant buffer
// could have done. plot.go and svg.go draw the frontier: what was held back against what
// was kept.
package backtest
