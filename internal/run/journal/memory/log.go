package memory

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// log is what the handles share. Entry n stands at entries[n-1-base.Seq].
type log struct {
	mu        sync.RWMutex
	base      journal.Base // what precedes the entries
	entries   []journal.Entry
	snapshots []journal.Snapshot // by Seq, one per Seq
}

func (l *log) append(entries []journal.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := journal.CheckOrder(l.end()+1, entries); err != nil {
		return err
	}
	for _, e := range entries {
		e.Data = bytes.Clone(e.Data)
		l.entries = append(l.entries, e)
	}
	return nil
}

// end is the last entry's number.
func (l *log) end() uint64 { return l.base.Seq + uint64(len(l.entries)) }

// entry returns an entry; ok is false beyond the end.
func (l *log) entry(seq uint64) (e journal.Entry, ok bool, err error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if seq > l.end() {
		return e, false, nil
	}
	if err := l.base.Lacks(seq); err != nil {
		return e, false, err
	}
	return l.entries[seq-1-l.base.Seq], true, nil
}

func (l *log) first() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.base.Seq + 1
}

func (l *log) last() (seq uint64, at int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.entries) == 0 {
		return l.base.Seq, l.base.At
	}
	e := l.entries[len(l.entries)-1]
	return e.Seq, e.At
}

// seqAt looks from the end, so it need not trust At to be in order.
func (l *log) seqAt(at int64) (uint64, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].At <= at {
			return l.entries[i].Seq, nil
		}
	}
	if l.base.At > at {
		return 0, l.base.Lacks(l.base.Seq)
	}
	return l.base.Seq, nil
}

func (l *log) saveSnapshot(s journal.Snapshot) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := l.end(); s.Seq > last {
		return fmt.Errorf("journal: snapshot of entry %d refused, the log ends at %d; append first", s.Seq, last)
	}
	if s.Seq < l.base.Seq {
		return l.base.Lacks(s.Seq)
	}
	l.putSnapshot(s)
	l.thinSnapshots()
	return nil
}

func (l *log) putSnapshot(s journal.Snapshot) {
	i := l.snapshotsUpTo(s.Seq)
	if i > 0 && l.snapshots[i-1].Seq == s.Seq {
		l.snapshots[i-1] = s
		return
	}
	l.snapshots = slices.Insert(l.snapshots, i, s)
}

func (l *log) thinSnapshots() {
	seqs := make([]uint64, len(l.snapshots))
	for i, s := range l.snapshots {
		seqs[i] = s.Seq
	}
	gone := journal.Thin(seqs)
	l.snapshots = slices.DeleteFunc(l.snapshots, func(s journal.Snapshot) bool {
		return slices.Contains(gone, s.Seq)
	})
}

func (l *log) snapshotBefore(seq uint64) (journal.Snapshot, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i := l.snapshotsUpTo(seq)
	if i == 0 {
		return journal.Snapshot{}, false
	}
	return l.snapshots[i-1], true
}

// snapshotsUpTo counts the snapshots with Seq <= seq.
func (l *log) snapshotsUpTo(seq uint64) int {
	return sort.Search(len(l.snapshots), func(i int) bool { return l.snapshots[i].Seq > seq })
}

func (l *log) trim(s journal.Snapshot) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.base.CheckTrim(s.Seq, l.end()); err != nil {
		return err
	}
	n := s.Seq - l.base.Seq
	for _, e := range l.entries[:n] {
		l.base.Link = l.base.Extend(e)
	}
	l.base.Data = bytes.Clone(s.Data)
	l.entries = slices.Clone(l.entries[n:])
	l.snapshots = slices.DeleteFunc(l.snapshots, func(old journal.Snapshot) bool { return old.Seq < s.Seq })
	return nil
}

func (l *log) begin(b journal.Base) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := b.CheckBegin(l.end()); err != nil {
		return err
	}
	l.base = journal.Base{Link: b.Link, Data: bytes.Clone(b.Data)}
	return nil
}
