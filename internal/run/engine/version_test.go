package engine

import (
	"bytes"
	"compress/flate"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/compact"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// older is the state as an earlier version knew it: a field fewer.
type older struct {
	Seq    uint64        `json:"seq"`
	Time   fleet.Instant `json:"time"`
	NextID uint64        `json:"nextId"`
}

// A snapshot that a version with other fields has made is not used: what it does not know is
// in the log. Snapshots of today take its place.
func TestASnapshotOfAnotherVersionIsNotUsed(t *testing.T) {
	j := memory.New()
	e, err := Open(t.Context(), Options{Journal: j, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "k"} {
		if _, err := e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: name}, Actor: core.System}); err != nil {
			t.Fatal(err)
		}
	}
	var want string
	e.Read(func(s *fleet.State) { want = s.Hash() })
	plain, err := compact.Encode(&older{Seq: 9, Time: 1, NextID: 7})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteByte(inCompact)
	z, _ := flate.NewWriter(&b, flate.BestSpeed)
	_, _ = z.Write(plain)
	_ = z.Close()
	if err := j.SaveSnapshot(t.Context(), journal.Snapshot{Seq: 9, Data: b.Bytes()}); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Options{Journal: j, SnapshotEvery: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	again.Read(func(s *fleet.State) {
		if got := s.Hash(); got != want || len(s.Quotas) != 10 {
			t.Errorf("beside a snapshot of another version the state is %s with %d quotas; want %s with 10", got, len(s.Quotas), want)
		}
	})
	if s, err := newest(t.Context(), j, 10); err != nil || s.Seq == 0 {
		t.Errorf("after that the newest snapshot to be trusted is of record %d (%v)", s.Seq, err)
	}
}
