// Package marks says how a node object shows the state that Muster keeps the node
// in: a taint, a condition and, under maintenance, what keeps others' automation away.
// Every function is pure: a node object in, what to write out.
//
// An annotation keeps which mark Muster itself has set. So it takes away its own
// marks and no others, and does not take its own word for a sign of the node's
// health: package translate leaves out what the annotation names.
package marks
