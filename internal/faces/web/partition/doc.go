// Package partition is the page of a partition: its islands, racks and nodes, which
// quotas they back, and how its flex is used.
package partition
