package retain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/past/keeper"
	"github.com/muster-fleet/muster/internal/answer/retain"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// house is a fleet whose nodes fail, on a clock that moves an hour with every command.
type house struct {
	t   *testing.T
	j   journal.Journal
	e   *engine.Engine
	now fleet.Instant
}

func open(t *testing.T, j journal.Journal, now fleet.Instant) *house {
	t.Helper()
	h := &house{t: t, j: j, now: now}
	var err error
	h.e, err = engine.Open(t.Context(), engine.Options{Journal: j, Synchronous: true, Now: func() fleet.Instant { return h.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.e.Close() })
	return h
}

func (h *house) do(c core.Command, key string) engine.Result {
	h.t.Helper()
	h.now = h.now.Add(time.Hour)
	res, err := h.e.Do(h.t.Context(), core.Request{Command: c, Actor: core.System, Key: key})
	if err != nil {
		h.t.Fatal(err)
	}
	return res
}

// live lets so many days pass, of which each node fails on every fourth.
func (h *house) live(days int) {
	for day := range days {
		node := fmt.Sprintf("tiger-h200-a-%03d", day%4+1)
		h.do(core.SetNodes{Names: []string{node}, State: fleet.Quarantined, Signal: "XID 79"}, "")
		h.do(core.SetNodes{Names: []string{node}, State: fleet.Healthy}, fmt.Sprintf("day-%d", h.now))
		h.now = h.now.Add(22 * time.Hour)
	}
}

var begin = fleet.InstantOf(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))

func lived(t *testing.T, j journal.Journal, days int) *house {
	t.Helper()
	h := open(t, j, begin)
	h.do(core.AddCluster{Name: "tiger"}, "")
	h.do(core.AddPartition{Cluster: "tiger", GPU: "h200"}, "")
	h.do(core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 4}}}, "")
	h.do(core.CreateQuota{Path: "oak"}, "")
	h.live(days)
	return h
}

// notes is what a keeper gathers of all of it.
func (h *house) notes(path string) string {
	h.t.Helper()
	ctx, end := context.WithCancel(h.t.Context())
	k := keeper.New(h.e, keeper.Options{Path: path})
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx) }()
	var text []byte
	err := k.Read(ctx, h.e.Durable(), func(b *past.Book) { text, _ = json.Marshal(b.Notes) })
	end()
	if err = errors.Join(err, <-ended); err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

func (h *house) hash() (hash string) {
	h.e.Read(func(s *fleet.State) { hash = s.Hash() })
	return hash
}

func (h *house) trim(days int) retain.Report {
	h.t.Helper()
	r, err := retain.Trim(h.t.Context(), h.j, h.now.Add(-time.Duration(days)*24*time.Hour), retain.Options{
		Keep: map[string]func([]byte) bool{"quotas": func(record []byte) bool { return bytes.Contains(record, []byte(`"kind":"quota.`)) }},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// twin is a journal that has all of the entries of another.
func twin(t *testing.T, of journal.Journal) journal.Journal {
	t.Helper()
	j := memory.New()
	if _, err := journal.Copy(t.Context(), j, of, func(uint64) {}); err != nil {
		t.Fatal(err)
	}
	return j
}

// A fleet lives for a hundred days, and its journal is trimmed again and again. It knows all that one
// knows that has all of its records: the state, the past as it is rolled up, what was to be kept word by
// word, and the audit log's link.
func TestWhatIsRolledUpSurvivesTheRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.db")
	j, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := lived(t, j, 60)
	whole := twin(t, j)
	var chain audit.Link
	h.trim(40)
	for range 2 {
		h.live(20)
		h.trim(30)
	}
	last, _, err := j.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	base, err := j.Base(t.Context())
	if err != nil || base.Seq < 60 {
		t.Fatalf("the log begins after %d (%v)", base.Seq, err)
	}
	if err := errors.Join(h.e.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if j, err = sqlite.Open(t.Context(), path, sqlite.Options{FullCheck: true}); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := journal.Copy(t.Context(), whole, j, func(uint64) {}); err == nil {
		t.Error("a copy that ends before the log begins went on")
	}
	// What the trimmed one has dropped since is lived through again: the same commands at the same moments.
	other := open(t, whole, begin)
	other.now = stateTime(other)
	other.live(40)
	if end, _, _ := whole.Last(t.Context()); end != last {
		t.Fatalf("the twin has %d records, the trimmed journal %d", end, last)
	}
	h = open(t, j, h.now)
	if a, b := h.hash(), other.hash(); a != b {
		t.Errorf("the state is %s, of all records %s", a, b)
	}
	if a, b := h.notes(""), other.notes(""); a != b {
		t.Errorf("the past is\n%s\nand of all records\n%s", a, b)
	}
	_, parts, err := engine.ReadBase(base)
	if list := retain.Records(parts["quotas"]); err != nil || len(list) != 1 || !strings.Contains(string(list[0]), `"oak"`) {
		t.Errorf("of the records that are kept there are %q (%v)", list, err)
	}
	err = whole.Read(t.Context(), 1, func(e journal.Entry) error {
		if e.Seq <= base.Seq {
			chain = chain.Extend(e.Seq, e.At, e.Data)
		}
		return nil
	})
	if err != nil || string(parts[retain.Chain]) != string(chain[:]) {
		t.Errorf("the link of what was dropped is %x, want %v (%v)", parts[retain.Chain], chain, err)
	}
}

// stateTime is the clock with which the house went on.
func stateTime(h *house) (at fleet.Instant) {
	h.e.Read(func(s *fleet.State) { at = s.Time.Add(22 * time.Hour) })
	return at
}

// Who asks for the state of a moment that is not kept is told so, and a key of the last days is known.
func TestWhatIsNotKeptIsSaid(t *testing.T) {
	h := lived(t, memory.New(), 40)
	res := h.do(core.SetNodes{Names: []string{"tiger-h200-a-001"}, State: fleet.Quarantined, Signal: "XID 79"}, "the key")
	h.trim(8)
	for _, seq := range []uint64{1, 10} {
		var trimmed *journal.TrimmedError
		if _, err := h.e.StateAfter(t.Context(), seq); !errors.As(err, &trimmed) {
			t.Errorf("the state after %d gives %v", seq, err)
		}
	}
	var trimmed *journal.TrimmedError
	if err := h.e.LookBack(t.Context(), begin.Add(24*time.Hour), func(*fleet.State) {}); !errors.As(err, &trimmed) || !strings.Contains(err.Error(), "is not kept any more") {
		t.Errorf("a moment that is not kept gives %v", err)
	}
	h = open(t, h.j, h.now)
	if again := h.do(core.SetNodes{Names: []string{"tiger-h200-a-001"}, State: fleet.Quarantined, Signal: "XID 79"}, "the key"); !again.Repeat || again.Seq != res.Seq {
		t.Errorf("the same command again gives %+v", again)
	}
	h.trim(8)
	if r := h.trim(8); r.Dropped != 0 {
		t.Errorf("trimmed again it drops %d", r.Dropped)
	}
}

// A state by which the journal's snapshots and its records disagree is not taken for what was dropped.
func TestNothingIsDroppedThatAReplayDoesNotProve(t *testing.T) {
	h := lived(t, memory.New(), 40)
	wrong, err := engine.Restore(t.Context(), h.j, 20)
	if err != nil {
		t.Fatal(err)
	}
	wrong.Quotas = nil
	snap, err := engine.SnapshotOf(wrong)
	if err == nil {
		err = h.j.SaveSnapshot(t.Context(), snap)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = retain.Trim(t.Context(), h.j, h.now.Add(-10*24*time.Hour), retain.Options{})
	if err == nil || !strings.Contains(err.Error(), "nothing was dropped") {
		t.Errorf("the trim gives %v", err)
	}
	if base, err := h.j.Base(t.Context()); err != nil || base.Seq != 0 {
		t.Errorf("the log begins after %d (%v)", base.Seq, err)
	}
}
