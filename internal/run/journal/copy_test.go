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

// A log that lacks its beginning is copied, exported and imported as it is. A copy of before goes on and
// keeps what it has, unless entries between the two are gone.
func TestCopiesOfATrimmedLog(t *testing.T) {
	from, late := logOf(t, 100), memory.New()
	early, whole := logOf(t, 20), logOf(t, 100)
	if _, err := journal.Copy(ctx, late, whole, quiet); err != nil {
		t.Fatal(err)
	}
	if err := from.Trim(ctx, journal.Snapshot{Seq: 40, Data: []byte("state after 40")}); err != nil {
		t.Fatal(err)
	}
	if err := from.Append(ctx, []journal.Entry{{Seq: 101, Data: []byte("one more")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Copy(ctx, early, from, quiet); err == nil {
		t.Error("a copy that ends before the log begins went on")
	}
	if last, err := journal.Copy(ctx, late, from, quiet); err != nil || last != 101 {
		t.Errorf("a copy of before goes on to %d (%v)", last, err)
	}
	if first, err := late.Base(ctx); err != nil || first.Seq != 0 {
		t.Errorf("it has lost what was up to %d (%v)", first.Seq, err)
	}
	fresh, imported := memory.New(), memory.New()
	var b bytes.Buffer
	_, err := journal.Copy(ctx, fresh, from, quiet)
	if err == nil {
		_, err = journal.Export(ctx, &b, from, quiet)
	}
	if err != nil {
		t.Fatal(err)
	}
	export := b.Bytes()
	for i := 8; i < 60; i++ { // of the base
		harmed := bytes.Clone(export)
		harmed[i] ^= 1
		if _, err := journal.Import(ctx, memory.New(), bytes.NewReader(harmed), quiet); err == nil {
			t.Errorf("with byte %d changed it is imported", i)
		}
	}
	if _, err := journal.Import(ctx, imported, &b, quiet); err != nil {
		t.Fatal(err)
	}
	for _, j := range []journal.Journal{fresh, imported} {
		first, err := j.Base(ctx)
		want, _ := from.Base(ctx)
		if err != nil || first.Link != want.Link || string(first.Data) != "state after 40" || rest(t, j) != rest(t, from) {
			t.Errorf("the copy begins after %+v (%v), want %+v", first.Link, err, want.Link)
		}
	}
	if _, err := journal.Copy(ctx, logOf(t, 40), from, quiet); err != nil {
		t.Errorf("a copy that ends where the log begins does not go on: %v", err)
	}
	other := memory.New()
	if err := other.Append(ctx, others()); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Copy(ctx, other, from, quiet); err == nil {
		t.Error("a copy of another log that ends where the log begins went on")
	}
}

func rest(t *testing.T, j journal.Journal) string {
	t.Helper()
	var b bytes.Buffer
	if err := j.Read(ctx, 0, func(e journal.Entry) error { fmt.Fprintf(&b, "%d %d %x\n", e.Seq, e.At, e.Data); return nil }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func others() (list []journal.Entry) {
	for seq := uint64(1); seq <= 40; seq++ {
		list = append(list, journal.Entry{Seq: seq})
	}
	return list
}
