// Package scenario reads and runs scenario files: stories about a fleet in
// virtual time, with what must be true along the way.
//
// A story is told to the same engine that serves production, over a journal in
// memory and a simulated cluster on which starting is instant and a victim uses
// its whole grace. Nothing is decided here.
//
// file.go says what a file holds. Reading it: parse.go, steps.go, submit.go,
// nodes.go; expectations in expect.go, what each may ask for in figures.go and healthfigures.go, and
// the values it may name in want.go. Steps of one subject: health.go, maintenance.go, executor.go, haircut.go,
// buildout.go, fit.go, silence.go.
//
// Running it: world.go (the engine, the cluster and the clock), run.go (step by step), judge.go (is it
// true), always.go (what must be true anyway); stage.go: on which cluster; watch.go: looking on. Then
// report.go and runall.go tell people, moment.go all figures to programs; peer.go and conformance.go say what other
// schedulers answer in the situations that are theirs.
package scenario
