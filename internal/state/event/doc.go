// Package event holds the facts that the log keeps: what happened, never what
// should happen.
//
// One command writes one Record, which carries all the events of that command
// (record.go); it becomes durable whole or not at all. Each event is a small
// struct with a stable name and a version, and both stand in the file of its
// subject. Names are never reused; a field is only ever
// added. registry.go knows every version ever written and how an old one is
// read today; testdata holds one example of each, for ever.
//
//	fleet.go        clusters, partitions, nodes, policies, incidents
//	health.go       signals, the health policy, the breaker, validations, why work failed
//	quota.go        quotas, grants, holds, backing
//	haircut.go      plans that bring grants down, and their waves
//	work.go         workloads and their replicas
//	fit.go          whether work fits the nodes that it was given
//	people.go       requests, subscriptions, warnings that people have acknowledged
//	access.go       roles, tokens, sessions, what two people must agree on
//	maintenance.go  updates, rollouts, zones, visits, announced maintenances
//	buildout.go     clusters that are built
//	server.go       starts of servers
//	about.go        which workload an event is about
//	pack.go         records in fewer bytes, by the lists of packwords.go; packfind.go finds the words
package event
