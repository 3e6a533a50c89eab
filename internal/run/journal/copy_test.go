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

// logOf is a log of n entries of all lengths, in moments that also go back.
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

// text is all that a log has, for comparisons.
func text(t *testing.T, j journal.Journal) string {
	t.Helper()
	var b bytes.Buffer
	if err := j.Read(ctx, 0, func(e journal.Entry) error { fmt.Fprintf(&b, "%d %d %x\n", e.Seq, e.At, e.Data); return nil }); err != nil {
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

// trimmed is a log of 101 entries that lacks those up to 40.
func trimmed(t *testing.T) *memory.Journal {
	t.Helper()
	j := logOf(t, 100)
	if err := j.Trim(ctx, journal.Snapshot{Seq: 40, Data: []byte("state after 40")}); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(ctx, []journal.Entry{{Seq: 101, Data: []byte("one more")}}); err != nil {
		t.Fatal(err)
	}
	return j
}

// A copy of before its log was trimmed goes on and keeps what it has, unless entries between the
// two are gone, or it is of another log.
func TestACopyOfBeforeGoesOnWithATrimmedLog(t *testing.T) {
	late := memory.New()
	if _, err := journal.Copy(ctx, late, logOf(t, 100), quiet); err != nil {
		t.Fatal(err)
	}
	if last, err := journal.Copy(ctx, late, trimmed(t), quiet); err != nil || last != 101 {
		t.Errorf("a copy of before goes on to %d (%v)", last, err)
	}
	if first, err := late.Base(ctx); err != nil || first.Seq != 0 {
		t.Errorf("it has lost what was up to %d (%v)", first.Seq, err)
	}
	if _, err := journal.Copy(ctx, logOf(t, 40), trimmed(t), quiet); err != nil {
		t.Errorf("a copy that ends where the log begins does not go on: %v", err)
	}
	if _, err := journal.Copy(ctx, logOf(t, 20), trimmed(t), quiet); err == nil {
		t.Error("a copy that ends before the log begins went on")
	}
	other := memory.New()
	if err := other.Append(ctx, others()); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Copy(ctx, other, trimmed(t), quiet); err == nil {
		t.Error("a copy of another log that ends where the log begins went on")
	}
}

// A log that lacks its beginning is copied, exported and imported as it is.
func TestATrimmedLogIsCopiedAsItIs(t *testing.T) {
	from, fresh, imported := trimmed(t), memory.New(), memory.New()
	if _, err := journal.Copy(ctx, fresh, from, quiet); err != nil {
		t.Fatal(err)
	}
	var export bytes.Buffer
	if _, err := journal.Export(ctx, &export, from, quiet); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Import(ctx, imported, &export, quiet); err != nil {
		t.Fatal(err)
	}
	want, _ := from.Base(ctx)
	for _, j := range []journal.Journal{fresh, imported} {
		first, err := j.Base(ctx)
		if err != nil || first.Link != want.Link || string(first.Data) != "state after 40" || text(t, j) != text(t, from) {
			t.Errorf("the copy begins after %+v (%v), want %+v", first.Link, err, want.Link)
		}
	}
}

// Each byte of the base in an export is under its checksum.
func TestAnExportOfATrimmedLogShowsDamageToItsBase(t *testing.T) {
	var export bytes.Buffer
	if _, err := journal.Export(ctx, &export, trimmed(t), quiet); err != nil {
		t.Fatal(err)
	}
	for i := 8; i < 60; i++ { // of the base
		if _, err := journal.Import(ctx, memory.New(), bytes.NewReader(flipped(export.Bytes(), i)), quiet); err == nil {
			t.Errorf("with byte %d changed it is imported", i)
		}
	}
}

// others are the entries of a log that has nothing in common with those of logOf but its length.
func others() (list []journal.Entry) {
	for seq := uint64(1); seq <= 40; seq++ {
		list = append(list, journal.Entry{Seq: seq})
	}
	return list
}
