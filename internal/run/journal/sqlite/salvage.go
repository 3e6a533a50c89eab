package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// Salvaged says what a salvage cut off.
type Salvaged struct {
	Good   uint64                // the last entry of the log now
	First  uint64                // its first; what was before is in Aside and cannot be proven
	Damage *journal.CorruptError // what was wrong
	Aside  string                // the folder with the files as they were
}

// salvage replaces a damaged journal by a new one of its good entries. Stopped
// anywhere, it can be begun again: until the new one is whole, the old files
// are only read; from then on every Open finishes the job.
func salvage(ctx context.Context, path string, o Options, damage *journal.CorruptError) (*Salvaged, error) {
	seen := fingerprint(path)
	fresh := path + "-salvage"
	base, good, err := keepGood(ctx, path, fresh, o.Wait, damage)
	if err != nil {
		return nil, errors.Join(err, removeJournal(fresh))
	}
	aside, err := setAside(path)
	if err != nil {
		return nil, errors.Join(explain(path, "set the damaged files aside", err), removeJournal(fresh))
	}
	if err := checkUnused(path, o.Wait, seen); err != nil {
		return nil, errors.Join(explain(path, "salvage", err), removeJournal(fresh), os.RemoveAll(aside))
	}
	if err := moveSnapshots(path, aside, good); err != nil {
		return nil, explain(path, "set the snapshots of the damaged part aside", err)
	}
	if err := os.Rename(fresh, salvagedPath(path)); err != nil {
		return nil, explain(path, "salvage", err)
	}
	return &Salvaged{Good: good, First: base.Seq + 1, Damage: damage, Aside: aside}, finishSalvage(path)
}

// keepGood writes what is good into a new journal, and returns after what that begins and its last
// entry.
func keepGood(ctx context.Context, path, fresh string, wait time.Duration, damage *journal.CorruptError) (base journal.Base, good uint64, err error) {
	from := &Journal{path: path, readers: pool{path: path, how: toRead, wait: wait}}
	defer from.readers.close()
	base = from.baseLeft()
	good, err = from.copyGood(ctx, fresh, base, damage.Good == 0)
	if err == nil && good < damage.Good { // an older entry is damaged, too
		if later, ok := from.laterBase(good, damage.Good); ok {
			base = later
			good, err = from.copyGood(ctx, fresh, base, false)
		}
	}
	switch {
	case err != nil:
		return base, 0, err
	case good == base.Seq:
		return base, 0, hopeless(damage)
	case good < damage.Good:
		return base, 0, moreDamage(damage, good)
	}
	return base, good, nil
}

// baseLeft is after what the damaged log begins; where that is lost, too, it is after the copy.
func (j *Journal) baseLeft() journal.Base {
	base, err := j.loadBase()
	if err == nil {
		return base
	}
	var damage *journal.CorruptError
	if spare, ok := spareBase(j.path); ok || !errors.As(err, &damage) {
		j.begins.Store(&spare.Link)
		return spare
	}
	return base // that of a log that has all of its entries
}

// laterBase is the newest snapshot between two damages: what follows it is proven without what
// precedes it.
func (j *Journal) laterBase(after, upTo uint64) (base journal.Base, ok bool) {
	for seq := upTo; seq > after; {
		s, sum, ok := j.newestWhole(seq)
		if !ok || s.Seq <= after {
			return base, false
		}
		if link, err := j.stored(s.Seq); err == nil && link.Sum == sum {
			return journal.Base{Link: link, Data: s.Data}, true
		}
		seq = s.Seq - 1
	}
	return base, false
}

func hopeless(damage *journal.CorruptError) error {
	return fmt.Errorf("%w; it cannot be salvaged, as nothing would remain; bring the journal back from a copy", damage)
}

// moreDamage refuses to cut off more than the caller knows of: Open checks only
// what follows the newest snapshot, and an older entry is damaged, too.
func moreDamage(damage *journal.CorruptError, good uint64) error {
	return fmt.Errorf("%w; not salvaged, as entry %d is damaged, too, and all from there on would go; bring the journal back from a backup, or add --full-check to --salvage if that is wanted",
		damage, good+1)
}

func salvagedPath(path string) string { return path + "-salvaged" }

// finishSalvage puts a salvaged journal, if there is one, in its place. The old
// write-ahead log has to go first, or SQLite would apply it to the new file.
func finishSalvage(path string) error {
	if size(salvagedPath(path)) == 0 {
		return nil
	}
	err := wholefile.SyncDir(filepath.Dir(path))
	if err == nil {
		err = removeAll(path+"-wal", path+"-shm", headPath(path))
	}
	if err == nil {
		err = os.Rename(salvagedPath(path), path)
	}
	if err == nil {
		err = wholefile.SyncDir(filepath.Dir(path))
	}
	return explain(path, "put the salvaged journal in place", err)
}

// fingerprint changes when a process writes to the journal.
func fingerprint(path string) (f [2]struct{ size, changed int64 }) {
	for i, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			f[i].size, f[i].changed = info.Size(), info.ModTime().UnixNano()
		}
	}
	return f
}

// checkUnused makes sure that no process has the journal open or has written to it
// since it was seen. Where damage keeps SQLite from locking it, no process can be
// at work on it either.
func checkUnused(path string, wait time.Duration, seen any) error {
	if seen != any(fingerprint(path)) {
		return journal.ErrLocked
	}
	c, err := connect(path, toSalvage, wait)
	if err == nil {
		_, err = c.number("SELECT count(*) FROM sqlite_schema") // the first look takes the lock
		err = cmp.Or(err, c.close())
	}
	if isLocked(err) {
		return err
	}
	return nil
}

// copyGood writes the good entries after a base into a new journal, all of it in the one
// file, and returns the last. pathless: SQLite finds no entry any more.
func (j *Journal) copyGood(ctx context.Context, fresh string, base journal.Base, pathless bool) (good uint64, err error) {
	if err := removeJournal(fresh); err != nil {
		return 0, explain(fresh, "begin", err)
	}
	to, err := open(ctx, fresh, Options{Wait: j.readers.wait})
	if err == nil && base.Seq > 0 {
		err = to.Begin(ctx, base)
	}
	if to != nil {
		if err == nil {
			good, err = copyEntries(ctx, j, to, base.Link, pathless)
		}
		err = errors.Join(err, to.Close())
	}
	if err == nil && size(fresh+"-wal") > 0 {
		err = fmt.Errorf("journal %s: its write-ahead log cannot be folded in", fresh)
	}
	if err != nil {
		return 0, errors.Join(err, removeJournal(fresh))
	}
	return good, removeAll(headPath(fresh), basePath(fresh))
}

func removeJournal(path string) error {
	return removeAll(path, path+"-wal", path+"-shm", headPath(path), basePath(path))
}

// copyEntries copies up to the first damage, and what the leaves hold behind it where only
// the way to them is lost.
func copyEntries(ctx context.Context, from, to *Journal, end journal.Link, pathless bool) (last uint64, err error) {
	var group []journal.Entry
	flush := func() error {
		err := to.Append(ctx, group)
		group = group[:0]
		return err
	}
	take := func(e journal.Entry) error {
		end = end.Extend(e)
		if group = append(group, e); len(group) < 1024 {
			return nil
		}
		return flush()
	}
	if !pathless {
		err = from.scan(ctx, end, 0, take)
	}
	var damage *journal.CorruptError
	if pathless || errors.As(err, &damage) {
		_, err = readLeaves(from.path, end, take)
	}
	if err == nil {
		err = flush()
	}
	if err != nil {
		return 0, err
	}
	return end.Seq, to.foldIn()
}

// foldIn brings the write-ahead log into the main file. SQLite does so when it
// closes the file, too, but does not say when it cannot.
func (j *Journal) foldIn() error {
	j.writer.mu.Lock()
	defer j.writer.mu.Unlock()
	row, err := j.writer.conn.row("PRAGMA wal_checkpoint(TRUNCATE)", 3)
	if err == nil && row[0] != int64(0) {
		err = journal.ErrLocked
	}
	return explain(j.path, "fold in the write-ahead log", err)
}

// setAside keeps the files as they are in a folder of their own, by further
// links, as they must stay in place for now.
func setAside(path string) (dir string, err error) {
	if dir, err = makeNumbered(path + "-damaged-"); err != nil {
		return "", err
	}
	for _, name := range []string{path, path + "-wal"} {
		err := os.Link(name, filepath.Join(dir, filepath.Base(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return dir, wholefile.SyncDir(dir)
}

// moveSnapshots takes the snapshots of entries that are cut off out of the way.
func moveSnapshots(path, aside string, good uint64) error {
	dir := snapshotDir(path)
	seqs, err := listSnapshots(dir)
	if err != nil {
		return err
	}
	for _, seq := range seqs {
		if seq <= good {
			continue
		}
		if err := os.Rename(filepath.Join(dir, snapshotName(seq)), filepath.Join(aside, snapshotName(seq))); err != nil {
			return err
		}
	}
	return wholefile.SyncDir(aside)
}

func makeNumbered(prefix string) (dir string, err error) {
	for n := 1; ; n++ {
		dir = fmt.Sprint(prefix, n)
		if err = os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

func removeAll(names ...string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
