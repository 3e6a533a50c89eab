// Package azure has the maintenance carried out that Azure keeps pending for machines. It
// protects the machine of a node against scale-in and actions of its scale set, and applies what is
// pending. The protection ends when nothing is pending any more.
//
// Nothing is remembered: whether something is pending is what Azure says, and an order's ID
// stands as a tag on the machine that it protects. So a crash at any point repeats nothing.
//
// Read provider.go (the executor), then machine.go (one machine).
package azure
