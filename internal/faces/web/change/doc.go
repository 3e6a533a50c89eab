// Package change is the forms by which a page changes something: a grant, a transfer, a
// hold, a request, a workload, a node, an incident, a buffer.
//
// actions (actions_*.go) is a table: a new form is one row, with its fields, the call that
// does it, and the same on the command line. change.go shows a row as a form, tries it
// without changing anything, shows what would change, and does it when the reader says so.
// Offers (offer.go) are the buttons by which other pages lead here; a reader is offered
// only what the reader may do.
package change
