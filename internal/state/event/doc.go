// Package event holds the facts that the log keeps: what happened, never what
// should happen.
//
// One command writes one Record, which carries all the events of that command
// (record.go); it becomes durable whole or not at all. Each event is a small
// struct with a stable name and a version (fleet.go for nodes, quota.go for
// quota, work.go for workloads, people.go for requests and subscriptions). Names are never reused; a field is only ever
// added. registry.go knows every version ever written and how an old one is
// read today; testdata holds one example of each, for ever.
package event
