// Package server is the top floor: it puts a server together from the rooms
// below, and the program muster (server, CLI, agent and simulator in one) around it.
//
// It is wiring and nothing else: it hands the command line (package
// cli) the world, and what a client alone cannot do. main.go owns the process and
// the terminal. up.go runs a server: its data folder (folder.go), its journal
// (journal.go), the engine with a simulated cluster under it (cluster.go) and a
// look at what must always hold (sound.go), the API over it (serve.go), and what
// people see of it, for the demo a line about its live load (live.go). compare.go
// and remote.go are what `muster diff` and `muster bench` are handed.
package server
