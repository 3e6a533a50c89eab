// Package demo is a fleet that is made up, with people who use it: what
// `muster up --demo` shows.
//
// fleet.yaml is the fleet. teams.go says who works on it and on what, and work.go draws
// their workloads. crowd.go lets them submit, cancel and change their minds, and lets
// operators open incidents. cluster.go says how the simulated cluster under it behaves: short
// run times, and nodes that fail far more often than real ones, so that something can be seen
// within a minute. monitor.go says what monitors
// see of it: signals, some of them wrong. planned.go is the planned work: an update that rolls
// out, a no-fly zone, an announced maintenance. words.go tells people what
// they see. Time is real: a second is a second.
//
// Everything is drawn from a seed: the n-th workload of a team, and how long a
// workload runs, are the same in every run, and after a restart. A new demo has a past
// of six weeks (past.go): the same people in virtual time, slower, decided by the same engine.
package demo
