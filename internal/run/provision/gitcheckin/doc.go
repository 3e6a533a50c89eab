// Package gitcheckin checks clusters in by git: it pushes a branch that holds the record of
// a cluster as a file, and sees when a person has merged it into the branch that counts.
//
// A branch is named after its operation, and is never pushed over one that exists: an
// answer that is lost, or a crash, leaves one branch with one file. The git program does
// the work, in folders that are removed afterwards.
//
// Read checkin.go (the adapter), then git.go (one call of git, and what its errors mean).
package gitcheckin
