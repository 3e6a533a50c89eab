// Package server is the top floor: it puts a server together from the rooms
// below, and the program muster (server, CLI, agent and simulator in one) around it.
//
// program.go owns the process and the terminal; it makes the command line (package
// cli) and adds the commands that run something: command_up.go, command_join.go,
// command_agent.go, command_journal.go, command_webhook.go, and the benches that need an API (bench.go).
// plugin.go is the same program as kubectl muster.
//
// up.go brings a server about (options.go says of what), and run.go serves until the end.
// From below upward a server has:
//
//   - the process: runtime.go, wallclock.go.
//   - a data folder: package datafolder; private.go keeps it to the server's user.
//   - a journal: journal.go opens it, retention.go drops what is old, and damage.go looks for damage.
//   - what carries decisions out: its backend (backend.go), of one kind of backendkinds.go. That is the simulated driver, or
//     reconcilers: a singleCluster (join.go: the cluster that muster join names) or a multiCluster (multicluster.go: clusters
//     whose agents dial in, and those that the file of --clusters lists, read by clusters_file.go).
//   - over the engine a look at what must always hold (invariants.go), the API (decider.go, modes.go),
//     and what people see of it (greet.go, statusline.go, notices.go).
//   - ways to prove who calls: access.go, signin.go, tls.go.
//   - what is carried out outside: taketurns.go drives it. Clusters are built (provision.go, outside.go,
//     outside_*.go; buildlog.go shows how it goes, checkedin.go looks at the branch), and nodes are visited (executors.go).
//
// Package lategc puts off the collection of garbage while there is little of it.
// agent.go runs the agent of a cluster, which dials in, and agenthealth.go says how it fares.
// enrolments.go notes which agents are let in. nodeagent.go speaks on a node's machine.
//
// Of several servers on one database one leads (package leadership; elect.go). The others send
// commands on to it (forward.go, peers.go), and all keep some files alike (share.go, package sharedfiles).
package server
