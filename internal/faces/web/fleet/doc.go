// Package fleet is the first page: what of the installed GPUs does work, and what is
// wrong in which cluster.
package fleet
