// Package bench measures Muster on the machine it runs on: the figures of
// `muster bench`.
//
// A bench (bench.go) is a name and a function; All is the list to which new ones
// are added. Each figure of its report stands beside what it should be compared
// with, measured in the same run: a number without its neighbour says nothing
// about an unknown machine.
//
// The first bench, submit, asks how fast commands are accepted: submit.go is its outline.
// raw.go is SQLite without Muster, rates.go is Muster on SQLite, and decide.go the deciding
// alone. memory.go and restart.go say what a fleet costs to keep and to find again. The cases of other projects are kueue.go, kai.go and
// kaimake.go, a large fleet's day whole.go: they play on stage.go, the engine of
// production in virtual time, and peers.go is what their authors publish.
// churn.go lives through crowds that ask for more than there is. markdown.go makes
// reports a part of a document, and fleets.go builds the fleets that are measured.
package bench
