// Package islands draws islands node by node, for every page that shows nodes: of a
// partition, of a workload, of one node.
package islands
