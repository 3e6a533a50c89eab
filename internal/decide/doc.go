// Package decide is the floor of decisions: a state and a command become events. It has no code of its own.
//
//	core ──── turns commands into events, and events into the next state
//	 ├── access      who may do what
//	 ├── promise     how much can be promised, and in which islands it stands
//	 ├── placement   what runs where, what waits, what gives way
//	 ├── health      which state a node should be in
//	 ├── maintenance which node is visited next, and what never happens
//	 ├── haircut     how assigned quota comes down to what can be sustained
//	 └── buildout    what a cluster that is built waits for, and what is done next
//	invariant        what must always hold; it stands apart, so that it can judge
//
// Every room is pure: no clock, randomness, I/O, goroutine or logger. The moment
// is an argument, effects are returned values. The rooms under core know nouns,
// and haircut and maintenance ask promise; core alone writes facts.
package decide
