// Package node is the page of nodes and health, and the page of each node.
package node
