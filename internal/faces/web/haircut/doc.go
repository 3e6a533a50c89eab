// Package haircut is the pages of haircuts: drafts, saved plans, and the steps from
// review to undo, each with its difference first.
//
// haircut.go draws a draft and a saved plan, step.go what a wave would change, and do.go does what its
// forms ask for. blocked.go says why a wave cannot be applied now.
package haircut
