package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	lib "modernc.org/sqlite/lib"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// Options say how to open a journal. The zero value is what a server wants.
type Options struct {
	// ReadOnly changes nothing in the journal and checks no entry in advance,
	// and so also opens a damaged one: Read then returns what is good. Append
	// and SaveSnapshot return ErrReadOnly.
	ReadOnly bool
	// FullCheck proves the whole log before Open returns, rather than only
	// what follows the newest intact snapshot.
	FullCheck bool
	// Salvage lets Open cut a damaged log back to its last good entry. The
	// damaged files are set aside first, see Journal.Salvaged. No other
	// process may have the journal open.
	Salvage bool
	// Wait bounds the wait for another process that is writing; 0 means 5 s.
	Wait time.Duration
}

const defaultWait = 5 * time.Second

// Journal is a handle on the log in one SQLite file. Several handles, in
// several processes, may be open at once.
type Journal struct {
	path         string
	options      Options
	writer       *writer // nil if read-only
	readers      pool
	head         head
	acknowledged atomic.Uint64                // the last sequence number known to have been durable
	begins       atomic.Pointer[journal.Link] // after which the log begins; nil: it has all of its entries
	snapshots    sync.Mutex                   // held while the snapshot files change
	salvaged     *Salvaged
}

var _ journal.Journal = (*Journal)(nil)

// Open opens the journal in the file at path, creating it if there is none; the
// folder must exist. It returns a *journal.CorruptError where the check finds
// damage and Options.Salvage is not set, a *journal.VersionError for a journal
// of a newer version, and errors that wrap journal.ErrReadOnly, ErrDiskFull or
// ErrLocked for what these say.
func Open(ctx context.Context, path string, o Options) (*Journal, error) {
	if o.ReadOnly && (o.Salvage || o.FullCheck) {
		return nil, fmt.Errorf("journal %s: ReadOnly does not go with Salvage or FullCheck; open it read-only and call Verify to check it", path)
	}
	o.Wait = cmp.Or(o.Wait, defaultWait)
	path, err := filepath.Abs(path) // the process may change its folder later
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	if !o.ReadOnly {
		if err := finishSalvage(path); err != nil {
			return nil, err
		}
	}
	j, err := open(ctx, path, o)
	var damage *journal.CorruptError
	if !o.Salvage || !errors.As(err, &damage) {
		return j, err
	}
	report, err := salvage(ctx, path, o, damage)
	if err != nil {
		return nil, err
	}
	if j, err = open(ctx, path, o); err != nil {
		return nil, err
	}
	j.salvaged = report
	return j, nil
}

// Close ends the handle; see journal.Journal.
func (j *Journal) Close() error {
	j.readers.close()
	if j.writer == nil {
		return nil
	}
	err := j.writer.close()
	j.head.close()
	return explain(j.path, "close", err)
}

// Salvaged returns what Open cut off, if it did.
func (j *Journal) Salvaged() (s Salvaged, ok bool) {
	if j.salvaged == nil {
		return s, false
	}
	return *j.salvaged, true
}

func open(ctx context.Context, path string, o Options) (*Journal, error) {
	j := &Journal{path: path, options: o, readers: pool{path: path, how: toRead, wait: o.Wait}}
	if err := j.start(ctx); err != nil {
		_ = j.Close() // the reason why it cannot be opened matters more
		return nil, err
	}
	return j, nil
}

// start looks before it writes: a damaged, newer or foreign file stays as it
// is, to the byte.
func (j *Journal) start(ctx context.Context) error {
	j.acknowledged.Store(readHead(j.path))
	empty, err := lookAround(j.path)
	if err != nil {
		return err
	}
	if !j.options.ReadOnly {
		if err := finishFirstStart(j.path, j.options.Wait); err != nil {
			return j.faultAtOpen(err)
		}
	}
	if !empty {
		if empty, err = j.startReading(); err != nil {
			return j.faultAtOpen(err)
		}
	}
	if !empty {
		if _, err := j.loadBase(); err != nil {
			return err
		}
	}
	switch {
	case empty && (j.acknowledged.Load() > 0 || hasSnapshots(j.path)):
		return lost(j.path)
	case empty && j.options.ReadOnly:
		return fmt.Errorf("journal %s: there is no such journal; name an existing one", j.path)
	case j.options.ReadOnly:
		return nil
	case !empty:
		if err := j.check(ctx); err != nil {
			return err
		}
	}
	return j.faultAtOpen(j.startWriting(ctx))
}

const emptied = "the file is gone or empty, though entries were written to it"

// lost says of a journal without an entry that there once were some.
func lost(path string) error {
	return fmt.Errorf("%w: %w", journal.ErrGone, wreck(path, emptied))
}

func hasSnapshots(path string) bool {
	seqs, err := listSnapshots(snapshotDir(path))
	return err == nil && len(seqs) > 0 && seqs[len(seqs)-1] > 0
}

// finishFirstStart lets SQLite take back what a process that was killed in the first
// start had begun: until the write-ahead log is turned on, that lies in a rollback journal,
// which a connection for reading only cannot apply.
func finishFirstStart(path string, wait time.Duration) error {
	if size(path+"-journal") == 0 {
		return nil
	}
	c, err := connect(path, access{}, wait)
	if err != nil {
		return err
	}
	_, err = c.number("SELECT count(*) FROM sqlite_schema")
	return cmp.Or(err, c.close())
}

// lookAround finds what must not be left to SQLite: it would make a new file,
// or take one that lost its content for a new one.
func lookAround(path string) (empty bool, err error) {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return false, fmt.Errorf("journal %s: there is no folder %s; create it, or name another", path, dir)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return false, fmt.Errorf("journal %s: this is a folder; name a file in it", path)
	}
	log := size(path+"-wal") > 0 // looked at first, as it comes second into being
	if size(path) > 1 {          // SQLite takes a file of one byte for a new one, too
		return false, nil
	}
	if log {
		return false, lost(path)
	}
	return true, nil
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (j *Journal) startWriting(ctx context.Context) error {
	c, err := connectWriter(ctx, j.path, j.options.Wait)
	if err != nil {
		return err
	}
	j.writer = &writer{conn: c, base: j.beginning()}
	if err := prepareFile(ctx, c); err != nil {
		return err
	}
	if err := j.writer.prepare(); err != nil {
		return err
	}
	if err := j.writer.try(ctx); err != nil {
		return err
	}
	if err := j.writer.settle(j.path); err != nil {
		return err
	}
	if err := j.spare(); err != nil {
		return err
	}
	j.head = openHead(j.path)
	j.head.write(j.acknowledged.Load())
	return nil
}

// connectWriter does the waiting that SQLite does not do for a process that wants
// to turn on the write-ahead log while another one is at it.
func connectWriter(ctx context.Context, path string, wait time.Duration) (*conn, error) {
	for end := time.Now().Add(wait); ; {
		c, err := connect(path, toWrite, wait)
		if !isLocked(err) || time.Now().After(end) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// prepareFile makes the file a journal that this process can write, or says why
// it cannot.
func prepareFile(ctx context.Context, c *conn) error {
	if c.fileReadOnly {
		return journal.ErrReadOnly
	}
	if err := adopt(ctx, c); err != nil {
		return err
	}
	readOnly, err := c.readOnly() // now that SQLite has looked into the file
	if err != nil {
		return err
	}
	if readOnly {
		return oddity("its header says that only a newer SQLite may write it")
	}
	mode, err := c.row("PRAGMA journal_mode", 1)
	if err != nil {
		return err
	}
	if mode[0] != "wal" {
		return fmt.Errorf("SQLite cannot keep a write-ahead log here (its journal mode is %v); name a folder on a local disk", mode[0])
	}
	return nil
}

// startReading finds the way of reading that the disk allows, and whether the
// file is a journal.
func (j *Journal) startReading() (empty bool, err error) {
	empty, err = j.tryReading()
	if code(err) == lib.SQLITE_CANTOPEN && size(j.path+"-wal") == 0 {
		j.readers.how = toReadFrozen
		empty, err = j.tryReading()
	}
	return empty, err
}

func (j *Journal) tryReading() (empty bool, err error) {
	c, err := connect(j.path, j.readers.how, j.options.Wait)
	if err != nil {
		return false, err
	}
	defer c.close()
	return look(c)
}

func (j *Journal) refuseWrite(doing string) error {
	return fmt.Errorf("journal %s: %s: %w: it was opened for reading only", j.path, doing, journal.ErrReadOnly)
}
