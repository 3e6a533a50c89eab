// Package provision carries out what is decided about clusters that are built: it begins
// operations outside, looks how they stand, counts the cloud's quota, and reports it all
// back as commands.
//
// It remembers nothing that matters. What is to be done stands in the state; an operation
// is looked up by its ID before it is begun, so a crash at any point begins nothing twice.
// Adapters stand behind Outside and Cloud (outside.go), one for each provider.
//
// Read outside.go (what an adapter is), runner.go (one turn), then operations.go, looks.go and
// counts.go (the three kinds of work).
package provision
