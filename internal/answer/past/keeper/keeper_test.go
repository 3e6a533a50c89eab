package keeper_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/past/keeper"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// house is an engine on a clock that moves an hour with every command.
type house struct {
	*engine.Engine
	t   *testing.T
	now fleet.Instant
}

func open(t *testing.T) *house {
	h := &house{t: t, now: fleet.InstantOf(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))}
	var err error
	h.Engine, err = engine.Open(t.Context(), engine.Options{Journal: memory.New(), Synchronous: true, Now: func() fleet.Instant { return h.now }})
	if err != nil {
		t.Fatal(err)
	}
	h.do(core.AddCluster{Name: "tiger"})
	h.do(core.AddPartition{Cluster: "tiger", GPU: "h200"})
	h.do(core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 4}}})
	return h
}

func (h *house) do(c core.Command) {
	h.t.Helper()
	h.now = h.now.Add(time.Hour)
	if _, err := h.Do(h.t.Context(), core.Request{Command: c, Actor: core.System}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) fail(node string) {
	h.do(core.SetNodes{Names: []string{node}, State: fleet.Quarantined, Signal: "XID 79"})
	h.do(core.SetNodes{Names: []string{node}, State: fleet.Healthy})
}

// keep follows the house until stop; notes shows what has been gathered of it all.
func (h *house) keep(path string) (k *keeper.Keeper, stop func()) {
	ctx, end := context.WithCancel(h.t.Context())
	k = keeper.New(h, keeper.Options{Path: path, SaveEvery: 2})
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx) }()
	return k, func() {
		end()
		if err := <-ended; err != nil {
			h.t.Error(err)
		}
	}
}

func (h *house) notes(k *keeper.Keeper) (text string) {
	h.t.Helper()
	err := k.Read(h.t.Context(), h.Durable(), func(b *past.Book) {
		data, err := json.Marshal(b.Notes)
		if err != nil {
			h.t.Error(err)
		}
		text = string(data)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return text
}

func TestWhatIsKeptIsWhatIsGatheredAnew(t *testing.T) {
	h, path := open(t), filepath.Join(t.TempDir(), "past.notes")
	k, stop := h.keep(path)
	h.fail("tiger-h200-a-001")
	h.notes(k)
	stop()
	h.fail("tiger-h200-a-002")
	again, stop := h.keep(path)
	defer stop()
	fresh, stopFresh := h.keep("")
	defer stopFresh()
	if a, b := h.notes(again), h.notes(fresh); a != b {
		t.Errorf("after a restart:\n%s\ngathered anew:\n%s", a, b)
	}
	if !strings.Contains(h.notes(again), `"Cause":"XID 79"`) {
		t.Error("the failures are not in the notes")
	}
}

// Notes that are of no use are gathered again: torn, of another version, or of
// another log.
func TestNotesOfNoUseAreGatheredAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "past.notes")
	other := open(t)
	for range 9 {
		other.fail("tiger-h200-a-003")
	}
	k, stop := other.keep(path)
	other.notes(k)
	stop()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"of another log": whole, "torn": whole[:len(whole)/2], "empty": nil, "another version": append([]byte("muster past 1\n"), whole[14:]...),
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := open(t)
		h.fail("tiger-h200-a-001")
		k, stop := h.keep(path)
		fresh, stopFresh := h.keep("")
		if h.notes(k) != h.notes(fresh) {
			t.Errorf("notes %s were used", name)
		}
		stop()
		stopFresh()
	}
}

func TestAQuestionThatCannotWaitSaysHowFarThePastIs(t *testing.T) {
	h := open(t)
	k, stop := h.keep("")
	defer stop()
	ctx, end := context.WithCancel(t.Context())
	end()
	err := k.Read(ctx, h.Durable()+1, func(*past.Book) { t.Error("a record was heard that there is not") })
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "still being gathered") {
		t.Errorf("the answer is %v", err)
	}
}

// broken is a log that ends in something that no book can take in.
type broken struct{ *house }

func (b broken) Watch(ctx context.Context, from uint64, fn func(event.Record) error) error {
	return errors.Join(b.Engine.Records(ctx, from, fn), fn(event.Record{
		Seq: 99, At: b.now, Events: []event.Event{event.NodeChanged{Partition: "lion/none", Node: "ghost", To: fleet.Healthy}},
	}))
}

func TestAMistakeEndsTheGatheringAndNothingElse(t *testing.T) {
	k := keeper.New(broken{open(t)}, keeper.Options{})
	if err := k.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "record 99") {
		t.Errorf("Run ended with %v", err)
	}
	if err := k.Read(t.Context(), 99, func(*past.Book) {}); err == nil || !strings.Contains(err.Error(), "not gathered any more") {
		t.Errorf("Read answered %v", err)
	}
}

// Whatever bit of the notes is another, they are gathered anew: the figures are right.
func TestNotesWithAFlippedBitAreGatheredAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "past.notes")
	h := open(t)
	h.fail("tiger-h200-a-001")
	k, stop := h.keep(path)
	want := h.notes(k)
	stop()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/100 {
		data := append([]byte(nil), whole...)
		data[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		k, stop := h.keep(path)
		if got := h.notes(k); got != want {
			t.Errorf("with bit %d of byte %d flipped the notes are\n%s\nwant\n%s", at%8, at, got, want)
		}
		stop()
	}
}

// listened says from which record on a keeper follows.
type listened struct {
	*house
	from chan uint64
}

func (l listened) Watch(ctx context.Context, from uint64, fn func(event.Record) error) error {
	l.from <- from
	return l.house.Watch(ctx, from, fn)
}

// A start reads of the log what the notes lack, also after a server that was killed: then those of the
// last save hold.
func TestAStartReadsOnlyWhatIsNewOfThePast(t *testing.T) {
	h, path := open(t), filepath.Join(t.TempDir(), "past.notes")
	for range 20 {
		h.fail("tiger-h200-a-001")
	}
	k, stop := h.keep(path)
	h.notes(k)
	killed, err := os.ReadFile(path) // before it ends
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if err := os.WriteFile(path, killed, 0o600); err != nil {
		t.Fatal(err)
	}
	l := listened{h, make(chan uint64, 1)}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- keeper.New(l, keeper.Options{Path: path}).Run(ctx) }()
	if from := <-l.from; from+2 < h.Durable() {
		t.Errorf("of %d records it reads those from %d on", h.Durable(), from)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
