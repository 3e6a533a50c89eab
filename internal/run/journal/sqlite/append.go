package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	lib "modernc.org/sqlite/lib"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// maxRows is how many rows one statement inserts at most. Statements for 1, 2,
// 4 … rows make up any group: a row in a statement for many costs two thirds of
// one on its own, and a longer statement gains nothing more.
const maxRows = 64

// Append makes the entries durable, all or none; see journal.Journal.
func (j *Journal) Append(ctx context.Context, entries []journal.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if j.options.ReadOnly {
		return j.refuseWrite("append")
	}
	if err := checkSizes(entries); err != nil {
		return err
	}
	end, err := j.writer.append(ctx, entries)
	if err != nil {
		return j.fault("append", err)
	}
	if len(entries) > 0 {
		if err := j.Probe(ctx); err != nil {
			return j.writer.breakOff(err)
		}
	}
	j.acknowledge(end.Seq)
	return nil
}

// maxData is the most that one entry may hold, in bytes. SQLite's own limit is
// higher, but a larger entry is a mistake, and a reader holds it in memory.
const maxData = 256 << 20

func checkSizes(entries []journal.Entry) error {
	for _, e := range entries {
		if len(e.Data) > maxData {
			return fmt.Errorf("journal: entry %d has %d bytes, the most is %d; nothing was written", e.Seq, len(e.Data), maxData)
		}
	}
	return nil
}

// writer is the one connection that writes.
type writer struct {
	mu     sync.Mutex
	conn   *conn // nil once closed
	tail   *stmt
	turn   *stmt
	insert map[int]*stmt // by number of rows
	args   []driver.NamedValue
	broken error
	file   os.FileInfo  // that is written to
	log    os.FileInfo  // its write-ahead log; nil before it was written to
	base   journal.Link // with which a log without entries ends
}

// prepare gets the statements ready, once the tables exist.
func (w *writer) prepare() (err error) {
	w.insert, w.args = map[int]*stmt{}, make([]driver.NamedValue, 4*maxRows)
	for i := range w.args {
		w.args[i].Ordinal = i + 1
	}
	if w.tail, err = w.conn.prepare(tailQuery); err != nil {
		return err
	}
	if w.turn, err = w.conn.prepare("INSERT INTO turn VALUES(?)"); err != nil {
		return err
	}
	for rows := 1; rows <= maxRows && err == nil; rows *= 2 {
		w.insert[rows], err = w.conn.prepare("INSERT INTO entry(" + entryColumns + ") VALUES(?,?,?,?)" + strings.Repeat(",(?,?,?,?)", rows-1))
	}
	return err
}

// errOnlyTrying takes a trial back.
var errOnlyTrying = errors.New("only trying")

// try writes an entry and takes it back, so that what keeps SQLite from writing
// shows at once: a lock, or damage where the next entry goes.
func (w *writer) try(ctx context.Context) error {
	err := w.conn.transact(ctx, func() error {
		end, err := w.end()
		if err != nil {
			return err
		}
		if _, err := w.write([]journal.Entry{{Seq: end.Seq + 1, At: math.MinInt64}}); err != nil {
			return err
		}
		return errOnlyTrying
	})
	if errors.Is(err, errOnlyTrying) {
		return nil
	}
	return err
}

// append returns the link of the last entry.
func (w *writer) append(ctx context.Context, entries []journal.Entry) (end journal.Link, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.conn == nil:
		return end, journal.ErrClosed
	case w.broken != nil:
		return end, w.broken
	case len(entries) == 0:
		return end, nil
	}
	err = w.conn.transact(ctx, func() (err error) {
		end, err = w.write(entries)
		return err
	})
	w.distrust(err)
	return end, err
}

// distrust ends all writing after a failed sync: what the system then drops
// from memory it reports once and never again, so a later sync that succeeds
// would prove nothing.
func (w *writer) distrust(err error) {
	switch extended(err) {
	case lib.SQLITE_IOERR_FSYNC, lib.SQLITE_IOERR_DIR_FSYNC:
		w.broken = fmt.Errorf("a sync failed earlier, so nothing more is written; check the disk and open the journal again: %w", err)
	}
}

// write runs inside the transaction, so no other writer comes between looking
// up the end and adding to it: this is the fence.
func (w *writer) write(entries []journal.Entry) (end journal.Link, err error) {
	if end, err = w.end(); err != nil {
		return end, err
	}
	if err := journal.CheckOrder(end.Seq+1, entries); err != nil {
		return end, err
	}
	for len(entries) > 0 && err == nil {
		n := rowsAtOnce(len(entries))
		end, err = w.insertRows(end, entries[:n])
		entries = entries[n:]
	}
	return end, err
}

// end is the link that the next entry must connect to.
func (w *writer) end() (journal.Link, error) {
	end, err := storedLink(w.tail)
	if err == nil && end.Seq == 0 {
		end = w.base
	}
	return end, err
}

// rowsAtOnce is the largest statement that n rows fill.
func rowsAtOnce(n int) int {
	rows := maxRows
	for rows > n {
		rows /= 2
	}
	return rows
}

// insertRows adds entries after the link end and returns the link they make.
func (w *writer) insertRows(end journal.Link, entries []journal.Entry) (journal.Link, error) {
	for i, e := range entries {
		if end.Turns(e) {
			if err := w.turn.exec(context.Background(), []driver.NamedValue{arg(1, key(e.Seq))}); err != nil {
				return end, err
			}
		}
		end = end.Extend(e)
		w.bind(i, e, end.Sum)
	}
	args := w.args[:4*len(entries)]
	err := w.insert[len(entries)].exec(context.Background(), args)
	return end, err
}

func (w *writer) bind(row int, e journal.Entry, sum uint32) {
	if e.Data == nil {
		e.Data = []byte{} // nil would be stored as NULL
	}
	args := w.args[4*row:]
	args[0].Value, args[1].Value, args[2].Value, args[3].Value = key(e.Seq), e.At, int64(sum), e.Data
}

func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	err := w.conn.close()
	w.conn = nil
	return err
}
