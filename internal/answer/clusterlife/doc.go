// Package clusterlife answers questions about clusters that are built. What does each of
// them wait for, on whom, since when and until when (cluster.go)? What is that in one
// sentence (why.go)? How does the ledger of cloud quota stand (ledger.go)?
//
// It decides nothing: the answers are those of decide/buildout, with the figures that
// people read.
package clusterlife
