// Package change is the forms by which a page changes something: quota, workloads, nodes,
// incidents, buffers.
//
// The actions (actions_*.go) are a table. A new form is one row: its fields, the call that
// does it, and the same on the command line. change.go shows a row as a form and tries it
// without changing anything. It shows what would change, and does it when the reader
// confirms. faults.go says what is wrong with its fields. Offers (offer.go) are the buttons by which other pages lead here. Actions with
// roles are offered to readers who have one of them; those without are offered to all, and the server refuses.
package change
