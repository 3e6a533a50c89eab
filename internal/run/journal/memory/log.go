package memory

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// log is what the handles share. Entry n stands at entries[n-1].
type log struct {
	mu        sync.RWMutex
	entries   []journal.Entry
	snapshots []journal.Snapshot // by Seq, one per Seq
}

func (l *log) append(entries []journal.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := journal.CheckOrder(uint64(len(l.entries))+1, entries); err != nil {
		return err
	}
	for _, e := range entries {
		e.Data = bytes.Clone(e.Data)
		l.entries = append(l.entries, e)
	}
	return nil
}

func (l *log) entry(seq uint64) (journal.Entry, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if seq > uint64(len(l.entries)) {
		return journal.Entry{}, false
	}
	return l.entries[seq-1], true
}

func (l *log) last() (seq uint64, at int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.entries) == 0 {
		return 0, 0
	}
	e := l.entries[len(l.entries)-1]
	return e.Seq, e.At
}

// seqAt looks from the end, so it need not trust At to be in order.
func (l *log) seqAt(at int64) uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].At <= at {
			return l.entries[i].Seq
		}
	}
	return 0
}

func (l *log) saveSnapshot(s journal.Snapshot) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := uint64(len(l.entries)); s.Seq > last {
		return fmt.Errorf("journal: snapshot of entry %d refused, the log ends at %d; append first", s.Seq, last)
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
