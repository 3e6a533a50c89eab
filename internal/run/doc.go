// Package run is the floor of effects: one writer and a durable log. It has no code of its own.
//
//	engine ──── takes commands, one at a time; answers when they are durable
//	 ├── journal   the log: memory, sqlite, postgres; journaltest holds them to one contract, named finds one
//	 ├── driver    the contract of what carries decisions out; simulated is one, drivertest holds all to it
//	 ├── compact   how a snapshot is written
//	 └── keys      finds the records that bear idempotency keys, for a week
//	provision      builds clusters outside, as is decided; simulated is one outside
//	audit          keeps what the journal does not: refusals, sign-ins, tokens; and proves the journal
//	executor       has visits of nodes carried out, as is decided; simulated is one executor
//	notify         tells people what happened, from beside the engine
//	gate           bounds what connections cost a listener
//	wholefile      replaces files whole or not at all
package run
