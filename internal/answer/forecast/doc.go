// Package forecast says when a waiting workload should start, or that it cannot
// be known (semantics §7).
//
// It copies the part of the fleet that matters and lets the same rules that decide
// play on in the copy (core.Step), along several paths. On each path every workload
// ends after another share of the maximum run time it declared; the shares are those
// that work has really used (history.go). The answer is the 50th and the 90th
// percentile of the starts, corrected by how far past forecasts were off (book.go).
// Where something of unknown length is in the way, the answer says so and names it.
//
// answer.go is what callers see, when.go reads as the steps of a forecast.
package forecast
