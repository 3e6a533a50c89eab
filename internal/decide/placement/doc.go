// Package placement decides who runs where: it looks at one partition and
// returns the next Plan, or none. Core turns a plan into events, applies them
// and asks again, until nothing changes.
//
// next.go reads as the numbered steps of a decision. unit.go says what starts
// and stops as one; claim.go what a waiting unit may count on and whom it may
// evict; space.go finds nodes, and together.go nodes for several pools at once; victims.go says
// who may be evicted, pushed.go and borrowers.go who is a borrower, and search.go finds the
// cheapest set of them; flex.go holds the fairness of flex; backfill.go who may pass a waiting
// head; held.go what holds inside a quota keep for others; mend.go swaps failed nodes; grow.go
// lets elastic pools grow; classify.go
// says how running work holds its GPUs.
package placement
