// Package buildout is the pages of clusters that are built: the board of all of them, by
// phase and late ones first, the life of each, and the ledger of cloud quota.
//
// Read board.go, life.go and ledger.go; the .templ file beside each draws it.
package buildout
