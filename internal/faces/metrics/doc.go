// Package metrics gives machines the figures that people read elsewhere: for
// Prometheus to scrape, with a Grafana dashboard and alert rules made from the
// same list.
//
// Two rules keep the figures honest. Stages that overlap (installed, healthy,
// promisable, backed …) are metrics of their own, so that a sum over them is not
// taken by mistake. States that exclude each other (of a node, of a workload, of how
// GPUs are held) are one metric with a label, so that their sum is right.
// And no label grows with load: clusters, GPU models and quotas are named; nodes,
// workloads and namespaces are not.
//
// catalogue.go lists every metric with its meaning. gauges.go reads most of them off the
// state; metrics.go counts events and commands, and serves everything. dashboard.go,
// alerts.go and markdown.go make the Grafana dashboard, the alert rules and
// docs/metrics.md from the catalogue.
package metrics
