package sqlite

import (
	"context"

	lib "modernc.org/sqlite/lib"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// oddity is damage that this room finds rather than SQLite.
type oddity string

func (o oddity) Error() string { return string(o) }

const wrongType oddity = "a row holds values of the wrong type"

// fault explains an error of SQLite; damage it traces to its entry.
func (j *Journal) fault(doing string, err error) error {
	if isDamage(err) {
		return j.diagnose(err)
	}
	return explain(j.path, doing, err)
}

// diagnose finds the entry that damage concerns by reading the whole log.
func (j *Journal) diagnose(damage error) error {
	if damage == nil {
		return nil
	}
	good, err := j.goodEntries()
	if err != nil {
		return err
	}
	return j.damageBeside(good, damage.Error())
}

// goodEntries reads the whole log and returns the last good entry and the
// damage after it, if there is any.
func (j *Journal) goodEntries() (good uint64, damage error) {
	damage = j.scan(context.Background(), j.beginning(), 0, func(e journal.Entry) error { good = e.Seq; return nil })
	return good, damage
}

// faultAtOpen explains what went wrong before any entry was looked at. What
// SQLite calls an error of logic then is a file that it cannot make sense of.
func (j *Journal) faultAtOpen(err error) error {
	if !isDamage(err) && code(err) != lib.SQLITE_ERROR {
		return explain(j.path, "open", err)
	}
	good, _ := j.goodEntries() // may be none: perhaps not even a table is left
	return j.damageBeside(good, err.Error())
}

// damageBeside reports damage that concerns no entry, or all.
func (j *Journal) damageBeside(good uint64, why string) error {
	if good == 0 {
		return wreck(j.path, why)
	}
	return &journal.CorruptError{Path: j.path, Offset: -1, Good: good, Why: why}
}

// wreck reports damage that leaves nothing of the file to trust.
func wreck(path, why string) error {
	return &journal.CorruptError{Path: path, Seq: 1, Offset: -1, Why: why}
}

// damageAfter reports damage in the entry after the last good one.
func (j *Journal) damageAfter(good uint64, why string) error {
	return &journal.CorruptError{Path: j.path, Seq: good + 1, Offset: j.offset(good + 1), Good: good, Why: why}
}

// offset tells where in the file the data of an entry begin; -1 where SQLite
// cannot find it any more.
func (j *Journal) offset(seq uint64) int64 {
	offset := int64(-1)
	_ = j.readers.with(func(r *reader) error {
		row, err := r.offset.row(1, arg(1, key(seq)))
		if err != nil || row == nil {
			return err
		}
		if at, ok := row[0].(int64); ok {
			offset = at
		}
		return nil
	})
	return offset
}
