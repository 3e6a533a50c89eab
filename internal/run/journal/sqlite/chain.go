package sqlite

import (
	"database/sql/driver"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// prove takes a row of entryColumns and returns the entry in it and the link it
// makes, or why the row is not the entry after l as it was written.
func prove(l journal.Link, row []driver.Value) (e journal.Entry, next journal.Link, why string) {
	seq, ok1 := row[0].(int64)
	at, ok2 := row[1].(int64)
	sum, ok3 := row[2].(int64)
	data, ok4 := row[3].([]byte)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return e, l, "its row holds values of the wrong type"
	}
	e = journal.Entry{Seq: uint64(seq), At: at, Data: data}
	next, why = l.Prove(e, sum)
	return e, next, why
}
