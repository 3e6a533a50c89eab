// Package workload is the list of workloads and the page of each: its state, why it
// waits or failed, what would help, and everything that was done to it.
package workload
