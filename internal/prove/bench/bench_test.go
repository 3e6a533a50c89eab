package bench

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var small = Options{Quick: true, Seed: 1}

// What is measured must be what it says: callers' commands, each in the log once.
func TestCallersAreCounted(t *testing.T) {
	dir := t.TempDir()
	for _, callers := range []int{1, 8} {
		m, err := measure(t.Context(), small, filepath.Join(dir, "rate.db"), dir, callers, false)
		if err != nil {
			t.Fatal(err)
		}
		if m.rate <= 0 || m.raw <= 0 || m.bytes < 20 || m.group < 1 || m.group > 8 {
			t.Errorf("%d callers: %+v", callers, m)
		}
		dir = t.TempDir()
	}
}

func TestARemoteServerIsMeasuredAndClosed(t *testing.T) {
	dir, o, r := t.TempDir(), small, &pretended{}
	o.Remote = func(e *engine.Engine) (Server, error) { r.engine = e; return r, nil }
	if _, err := measure(t.Context(), o, filepath.Join(dir, "rate.db"), dir, 2, true); err != nil {
		t.Fatal(err)
	}
	if r.dialled != 2 || !r.closed {
		t.Errorf("%d clients dialled (want 2), closed %v", r.dialled, r.closed)
	}
}

type pretended struct {
	engine  *engine.Engine
	dialled int
	closed  bool
}

func (p *pretended) Dial() Caller { p.dialled++; return direct{p.engine} }
func (p *pretended) Close() error { p.closed = true; return nil }

func TestABusyFleetIsSound(t *testing.T) {
	for _, crowded := range []bool{false, true} {
		b, err := newBusy(t.Context(), small, &forgetful{}, 40)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.fill(t.Context(), crowded, time.Minute); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if _, err := b.churn(t.Context(), crowded); err != nil {
				t.Fatal(err)
			}
		}
		b.Read(func(s *fleet.State) {
			for _, broken := range invariant.Check(s) {
				t.Errorf("crowded %v: %v", crowded, broken)
			}
		})
		if !crowded && b.used() > 0.8 || crowded && b.waits < 0.1 {
			t.Errorf("crowded %v: %.2f used, %.2f wait", crowded, b.used(), b.waits)
		}
	}
}

func TestARestartFindsTheWholeLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "restart.db")
	snap, records, err := history(t.Context(), small, path, 3_000)
	if err != nil {
		t.Fatal(err)
	}
	if records < 1_000 || snap.Seq == 0 || snap.Seq > uint64(records) {
		t.Errorf("%d records, snapshot at %d", records, snap.Seq)
	}
	if err := save(t.Context(), path, snap); err != nil {
		t.Fatal(err)
	}
	if _, err := reopen(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}

func TestEveryBenchHasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range All() {
		if b.Name == "" || b.Short == "" || b.Run == nil || seen[b.Name] {
			t.Errorf("bench %+v", b)
		}
		seen[b.Name] = true
	}
}
