package memory

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// Journal is one handle on a log in memory.
type Journal struct {
	log    *log
	closed atomic.Bool
}

var _ journal.Journal = (*Journal)(nil)

// New returns a handle on a new, empty log.
func New() *Journal { return &Journal{log: &log{}} }

// Reopen returns another handle on the same log, whether j is closed or not.
func (j *Journal) Reopen() *Journal { return &Journal{log: j.log} }

// Append adds the entries, all or none; see journal.Journal.
func (j *Journal) Append(ctx context.Context, entries []journal.Entry) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	return j.log.append(entries)
}

// Read calls fn for the entries from the sequence number on; see journal.Journal.
func (j *Journal) Read(ctx context.Context, from uint64, fn func(journal.Entry) error) error {
	if from == 0 {
		from = j.log.first()
	}
	for ; ; from++ {
		if err := j.ready(ctx); err != nil {
			return err
		}
		e, ok, err := j.log.entry(from)
		if err != nil || !ok {
			return err
		}
		if err := fn(e); err != nil {
			return err
		}
	}
}

// Last returns the last sequence number and its At; see journal.Journal.
func (j *Journal) Last(ctx context.Context) (uint64, int64, error) {
	if err := j.ready(ctx); err != nil {
		return 0, 0, err
	}
	seq, at := j.log.last()
	return seq, at, nil
}

// SeqAt returns the last sequence number whose At <= at; see journal.Journal.
func (j *Journal) SeqAt(ctx context.Context, at int64) (uint64, error) {
	if err := j.ready(ctx); err != nil {
		return 0, err
	}
	return j.log.seqAt(at)
}

// SaveSnapshot keeps s; see journal.Journal.
func (j *Journal) SaveSnapshot(ctx context.Context, s journal.Snapshot) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	s.Data = bytes.Clone(s.Data)
	return j.log.saveSnapshot(s)
}

// SnapshotBefore returns the newest snapshot with Seq <= seq; see journal.Journal.
func (j *Journal) SnapshotBefore(ctx context.Context, seq uint64) (journal.Snapshot, bool, error) {
	if err := j.ready(ctx); err != nil {
		return journal.Snapshot{}, false, err
	}
	s, ok := j.log.snapshotBefore(seq)
	s.Data = bytes.Clone(s.Data)
	return s, ok, nil
}

// Base returns what precedes the entries; see journal.Journal.
func (j *Journal) Base(ctx context.Context) (journal.Base, error) {
	if err := j.ready(ctx); err != nil {
		return journal.Base{}, err
	}
	j.log.mu.RLock()
	defer j.log.mu.RUnlock()
	return journal.Base{Link: j.log.base.Link, Data: bytes.Clone(j.log.base.Data)}, nil
}

// Trim drops the entries up to s.Seq; see journal.Journal.
func (j *Journal) Trim(ctx context.Context, s journal.Snapshot) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	return j.log.trim(s)
}

// Begin lets an empty log begin after a base; see journal.Journal.
func (j *Journal) Begin(ctx context.Context, b journal.Base) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	return j.log.begin(b)
}

// Close ends the handle; the log lives on for Reopen.
func (j *Journal) Close() error {
	j.closed.Store(true)
	return nil
}

func (j *Journal) ready(ctx context.Context) error {
	if j.closed.Load() {
		return journal.ErrClosed
	}
	return ctx.Err()
}
