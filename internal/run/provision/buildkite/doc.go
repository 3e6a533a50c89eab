// Package buildkite runs the pipeline step of clusters as builds of Buildkite, by its REST
// API. A build carries the ID of its operation in its meta-data, and is looked for by it
// before one is created; so an answer that is lost creates no second build. A build that a
// person has started again is adopted. A block step waits for a person.
//
// Webhooks only say that it is time for a look.
//
// Read pipeline.go (the adapter), transport.go (what the errors of calls mean), then hook.go
// (webhooks).
package buildkite
