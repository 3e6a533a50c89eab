// Package simulated is a cloud, a pipeline and clusters that take exactly as long as the
// blueprint says, for stories, tests and the demo. What goes wrong there is told
// beforehand (Fault), or drawn from a seed by the name of the operation.
//
// It stands for the outside: it lives on while Muster is restarted.
package simulated
