// Package judge says by trying everything, for small partitions, what placement ought to
// decide (semantics §3 and §5). Can a waiting unit start? In which ways may it hold its
// GPUs? Which sets of victims make room for it, and which of them is the cheapest? Tests
// compare the engine with it.
//
// It is slow and obvious on purpose, and shares no code with placement: who is
// judged must not write the law. It reads a state as people do: the nodes, what
// stands on them, and the backing in force.
//
// Read unit.go and surplus.go first (what starts and stops as one), then claim.go (what a
// waiting unit asks for). victims.go and flex.go say what it may evict, successors.go what is
// no borrower, and cost.go which set is cheaper. scene.go and place.go say whether there is a
// place for it, and tight.go what a node takes beside its GPUs. set.go tries every set, and together.go finds which waiting workloads could run.
package judge
