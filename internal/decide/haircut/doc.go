// Package haircut makes the plan that brings assigned down to sustainable
// (semantics §4): which quota gives up how many whole nodes in which partition,
// in which class, and in which waves.
//
// plan.go reads as the steps of a plan. classes.go takes nodes class by class,
// share.go shares a number of nodes out by largest remainder, and wave.go shares the
// cuts out to waves. cause.go says why more is assigned than is sustainable, and
// ready.go what a cluster still lacks before a wave may take it. compare.go puts
// policies side by side.
//
// The room decides nothing else: what a cut does to running work is found out by
// trying it on a copy of the fleet, which is core's.
package haircut
