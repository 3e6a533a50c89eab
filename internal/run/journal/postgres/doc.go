// Package postgres keeps a journal in a PostgreSQL database: the home of the log where one
// machine is not enough. The database's own replication keeps it; Muster adds none.
//
// Everything is in the schema muster:
//
//	entry     the log: a row per entry, with its chained checksum and its writer's term
//	turn      entries whose moment is before their predecessor's
//	base      what stands in the place of entries that were dropped
//	snapshot  a row per snapshot
//	lease     one row: which server leads, in which term, until when
//	file      small files that servers share
//	meta      which formats can read all this
//
// An append is one statement, and so one transaction: it writes where the term is still the
// handle's, and where the log ends as the handle believes. So neither a second writer nor a
// server that led earlier can write. After any error it is not known whether an append was
// done (a server that waits for its replica may finish it later): the next append looks
// first, and the same entries again are done once.
//
// Reading order: open.go and migrate.go, append.go, read.go, moment.go (SeqAt), snapshot.go,
// trim.go (what is dropped), lease.go (who leads), follow.go (what standbys wait for), shared.go, errors.go.
package postgres
