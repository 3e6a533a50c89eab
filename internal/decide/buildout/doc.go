// Package buildout decides how clusters come to be: what each of them waits for, and what
// Muster does next about it (cluster-life.md).
//
// Next looks at one cluster: its record, its blueprint, what was observed and how its
// operations stand. It answers with conditions, the phase that follows from them, and
// intents: operations to begin. Nothing is remembered between two looks, so a look after
// a crash answers the same. LedgerOf looks at one cloud account: who has reserved its
// cores, which clusters wait for them, in which order. After says what an operation that failed
// means for the next try.
//
// Read verdict.go (what a look answers), next.go (one look), condition.go and step.go
// (each condition), end.go (retirement), then ledger.go with claim.go (what a cluster needs of it), retry.go and pace.go.
package buildout
