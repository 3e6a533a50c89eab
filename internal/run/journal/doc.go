// Package journal is the durable log: the one place where what happened is kept.
//
// The log is a row of entries, numbered 1, 2, 3 … without gaps. An entry is
// bytes and the moment it happened; what the bytes mean is none of this
// room's business. Entries are added at the end and never changed.
//
// Three promises carry the rest of the house:
//
//   - Durable: when Append returns nil, the entries survive a crash and a loss
//     of power, all of them; when it returns an error, none was written as far
//     as any reader of this process can see.
//   - Fenced: the next sequence number belongs to whoever writes it first. A
//     second writer, in this process or another, gets a *FencedError and
//     changes nothing; two writers are never merged.
//   - Honest: every entry carries a checksum chained with its predecessor's
//     (see Sum). Read hands out what is proven and then says *CorruptError with
//     the position; it never hands out a wrong entry.
//
// A log may be trimmed: entries are dropped from its beginning, and a base stands in their
// place. The chain goes on from the base, so what is kept is proven as before.
//
// Snapshots are a shortcut for a quicker start and are never needed for
// correctness: losing them all costs time, nothing else.
//
// A backend may offer two things more (journal.go), which the engine looks for itself; a
// backend without them compiles, and no test is red. Without Follower no second server can
// stand by on the log. Without Prober a log that is gone shows only when the next command is
// to be written; until then an idle server answers from memory.
//
// The backends live in folders of their own (memory, sqlite, postgres), and all of them
// run the same conformance suite, journaltest. Copy, Export and Import move a log between any two.
package journal
