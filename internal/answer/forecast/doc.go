// Package forecast says when a waiting workload should start, or that nobody can
// know (semantics §7).
//
// It does not guess at a queue: it copies the part of the fleet that matters and
// lets the very rules that decide live on in it (core.Step), along several paths.
// On each path every workload ends after another share of the maximum run time
// it declared; the shares are those that work has really used (history.go). The
// 50th and the 90th percentile of the starts, corrected by how far past forecasts
// were off (book.go), are the answer. Where something of unknown length is in the
// way, the answer says so and names it.
//
// answer.go is what callers see, when.go reads as the steps of a forecast.
package forecast
