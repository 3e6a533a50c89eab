package sqlite

import (
	"database/sql/driver"
	"fmt"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// link is the end of a proven stretch of the log: what the next entry must
// connect to. The zero link is the beginning.
type link struct {
	seq uint64
	at  int64
	sum uint32
}

// extend returns the link that e makes.
func (l link) extend(e journal.Entry) link {
	return link{seq: e.Seq, at: e.At, sum: journal.Sum(l.sum, e)}
}

// prove takes a row of entryColumns and returns the entry in it and the link it
// makes, or why the row is not the entry after l as it was written.
func (l link) prove(row []driver.Value) (e journal.Entry, next link, why string) {
	seq, ok1 := row[0].(int64)
	at, ok2 := row[1].(int64)
	sum, ok3 := row[2].(int64)
	data, ok4 := row[3].([]byte)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return e, l, "its row holds values of the wrong type"
	}
	e = journal.Entry{Seq: uint64(seq), At: at, Data: data}
	if e.Seq != l.seq+1 {
		return e, l, fmt.Sprintf("it is missing, entry %d follows", e.Seq)
	}
	if next = l.extend(e); int64(next.sum) != sum {
		return e, l, "its checksum is wrong: it, or the entry before it, is not as it was written"
	}
	return e, next, ""
}
