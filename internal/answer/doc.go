// Package answer is the floor of answers to questions about state and log, and of the words and files
// in which they are given. It has no code of its own. Nothing here changes the state.
//
// Questions. Those marked * are pure:
//
//	view*        what people read: capacity, history, audit
//	reason*      the list of reasons for which work waits
//	explain*     why a workload waits
//	whatif*      what would let it start, tried on a copy
//	forecast*    when it should start
//	past*        what was lost, kept and waited; keeper holds it beside the engine
//	clusterlife* what a cluster that is built waits for, on whom, until when; the quota ledger
//
// What answers are made of, and what is asked in files:
//
//	words        events and figures as sentences
//	recurrence   when a zone that recurs is in force
//	yamlfile     YAML files, read strictly and with places
//	fleetfile    fleet files: read, written, compared with a fleet
//	retain       old records are dropped, what is rolled up of them stays
package answer
