package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
)

var ctx = context.Background()

func logOf(t *testing.T, n int) *memory.Journal {
	t.Helper()
	j := memory.New()
	for seq := 1; seq <= n; seq++ {
		e := journal.Entry{Seq: uint64(seq), At: int64(seq%7) - 3, Data: bytes.Repeat([]byte{byte(seq), 0}, seq%50)}
		if err := j.Append(ctx, []journal.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

func text(t *testing.T, j journal.Journal) string {
	t.Helper()
	var b bytes.Buffer
	if err := j.Read(ctx, 1, func(e journal.Entry) error { fmt.Fprintf(&b, "%d %d %x\n", e.Seq, e.At, e.Data); return nil }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func quiet(uint64) {}

func TestACopyGoesOnWhereItEnded(t *testing.T) {
	from, to := logOf(t, 3000), memory.New()
	if err := from.SaveSnapshot(ctx, journal.Snapshot{Seq: 2000, Data: []byte("a state")}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		last, err := journal.Copy(ctx, to, from, quiet)
		end, _, _ := from.Last(ctx)
		if err != nil || last != end || text(t, to) != text(t, from) {
			t.Fatalf("the copy ends at %d of %d (%v)", last, end, err)
		}
		if s, ok, err := to.SnapshotBefore(ctx, last); !ok || err != nil || s.Seq != 2000 {
			t.Errorf("the copy has snapshot %d (%v, %v)", s.Seq, ok, err)
		}
		if err := from.Append(ctx, []journal.Entry{{Seq: end + 1, Data: []byte("news")}}); err != nil {
			t.Fatal(err)
		}
	}
	other := logOf(t, 4000)
	if _, err := journal.Copy(ctx, to, other, quiet); err == nil {
		t.Error("a copy of one log was continued with another")
	}
}

func TestAnExportComesBackAndShowsEveryDamage(t *testing.T) {
	from := logOf(t, 60)
	var out bytes.Buffer
	if last, err := journal.Export(ctx, &out, from, quiet); err != nil || last != 60 {
		t.Fatal(last, err)
	}
	back := memory.New()
	if last, err := journal.Import(ctx, back, bytes.NewReader(out.Bytes()), quiet); err != nil || last != 60 || text(t, back) != text(t, from) {
		t.Fatalf("%d entries come back (%v)", last, err)
	}
	if _, err := journal.Import(ctx, back, bytes.NewReader(out.Bytes()), quiet); err == nil {
		t.Error("an export was imported beside another log")
	}
	for at := range out.Bytes() {
		for _, harmed := range [][]byte{out.Bytes()[:at], flipped(out.Bytes(), at)} {
			j := memory.New()
			_, err := journal.Import(ctx, j, bytes.NewReader(harmed), quiet)
			var damage *journal.CorruptError
			if err == nil || at >= 8 && !errors.As(err, &damage) {
				t.Fatalf("with byte %d changed, or cut there, the import gives %v", at, err)
			}
		}
	}
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}
