// Package decide is the floor for a state and a command become events. It has no code of its own.
//
//	core ──── turns commands into events, and events into the next state
//	 ├── promise     how much can be promised, and in which islands it stands
//	 ├── placement   who runs where, who waits, who gives way
//	 ├── health      what state a node should be in
//	 ├── haircut     how assigned quota comes down to what can be sustained
//	invariant        what must always hold; stands apart, so that it can judge
//
// Every room is pure: no clock, randomness, I/O, goroutine or logger. The moment
// is an argument, effects are returned values. The rooms under core know nouns
// only; core alone writes facts.
package decide
