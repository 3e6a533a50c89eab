// Package haircut is the pages of haircuts: drafts, saved plans, and the steps from
// review to undo, each with its difference first.
package haircut
