// Package sqlite keeps a journal in a SQLite file: the home of the log on one
// machine.
//
// What lies on disk, for a journal named fleet.db:
//
//	fleet.db              the log: a row per entry, with its chained checksum
//	fleet.db-wal, -shm    SQLite's write-ahead log and its index; part of the log
//	fleet.db-head         the last acknowledged sequence number: a tripwire
//	fleet.db-snapshots/   one file per snapshot
//	fleet.db-damaged-1/   what a salvage set aside
//
// An append is one transaction on the one writer connection, synced before it
// returns (WAL, synchronous=FULL). Inside the transaction it looks up the last
// sequence number, so a second writer is refused even across processes. Readers
// have connections of their own and read in short stretches, so neither a slow
// reader nor a snapshot holds up an append.
//
// SQLite itself cuts a torn write-ahead log back to the last transaction that is
// whole, and says nothing. After a crash that is right, since what was torn was
// never acknowledged. Where acknowledged entries got lost it is not; the
// tripwire and the snapshots tell the two apart: a log that ends before them is
// damaged. To put an older copy of fleet.db in place, remove -wal, -head and
// the newer snapshots with it, or open it with Salvage.
//
// Reading order: open.go and check.go, append.go, read.go, chain.go (what makes
// an entry good), moment.go (SeqAt), head.go, snapshot.go and snapshotfile.go,
// damage.go and salvage.go. Below them, schema.go, conn.go, pool.go and
// errors.go deal with SQLite.
package sqlite
