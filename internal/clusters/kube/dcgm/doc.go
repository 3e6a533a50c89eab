// Package dcgm reads what GPUs do, as NVIDIA's DCGM exporter measures it and
// Prometheus keeps it: query.go asks Prometheus, measure.go makes of its answers
// what is seen of workloads. What was not measured in the last minutes is not
// measured, and never idle.
package dcgm
