// Package judge says by trying everything, for small partitions, what placement
// ought to decide: whether a waiting unit can start, in which ways it may hold
// its GPUs, which sets of victims make room for it, and which of them is the
// cheapest (semantics §3 and §5). Tests compare the engine with it.
//
// It is slow and obvious on purpose, and shares no code with placement: who is
// judged must not write the law. It reads a state as people do: the nodes, what
// stands on them, and the backing in force.
//
// Read unit.go and surplus.go (what starts and stops as one), then claim.go (what a waiting
// unit asks for), victims.go and flex.go (whom it may evict), cost.go (which set
// is cheaper), scene.go and place.go (is there a place for it), set.go (every set
// is tried) and together.go (which waiting workloads could run).
package judge
