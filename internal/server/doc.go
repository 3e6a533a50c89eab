// Package server is the top floor: it puts a server together from the rooms
// below, and the program muster (server, CLI, agent and simulator in one) around it.
//
// program.go owns the process and the terminal; it makes the command line (package
// cli) and adds the commands that run something: command_up.go, command_join.go,
// command_agent.go, command_webhook.go, and the benches that need an API (bench.go).
// plugin.go is the same program as kubectl muster.
//
// up.go brings a server about (options.go says of what), and run.go serves until the end.
// From below upward a server has a data folder (package datafolder), a journal (journal.go), and one
// kind of cluster: simulated (cluster.go), one real (join.go) or several (clusters.go). Over
// the engine stand a look at what must always hold (invariants.go), the API (decider.go,
// modes.go), and what people see of it (live.go). taketurns.go drives what
// is carried out outside: clusters are built (provision.go, outside.go), and nodes are
// visited (executors.go). agent.go runs the agent of a cluster, which dials in. access.go
// and signin.go say who calls.
//
// Of several servers on one database one leads (package leadership; elect.go). The others send
// commands on to it (forward.go, peers.go), and all keep some files alike (package sharedfiles).
package server
