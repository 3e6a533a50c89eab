// Package journaltest is the conformance suite of package journal: what every
// backend must do. A backend's own tests call Run and add only what is
// particular to it (files, damage, a full disk).
//
// Each file is one subject: append.go, read.go, moment.go (SeqAt), snapshot.go, trim.go,
// handles.go (fence, reopening, concurrency, closing). helpers.go has the
// sample entries and the assertions.
package journaltest
