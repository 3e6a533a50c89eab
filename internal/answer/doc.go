// Package answer is the floor of answers to questions about state and log. It has no code of its own.
//
//	view       what people read: capacity, history, audit
//	reason     the list of reasons for which work waits (pure)
//	explain    why a workload waits            (pure)
//	clusterlife what a cluster that is built waits for, on whom, until when; the quota ledger (pure)
//	whatif     what would let it start         (pure, tries on a copy)
//	forecast   when it should start            (pure)
//	past       what was lost, kept and waited  (pure; keeper holds it beside the engine)
//	retain     old records are dropped, what is rolled up of them stays
//	words      events and figures as sentences
//	recurrence when a zone that recurs is in force
//	yamlfile   YAML files, read strictly and with places
//	fleetfile  fleet files: read, written, compared with a fleet
//
// Nothing here changes anything.
package answer
