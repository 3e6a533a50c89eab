package journal_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
)

// FuzzImport reads any bytes as an export of a journal: it is refused, or what was read is exported
// again as the same bytes.
func FuzzImport(f *testing.F) {
	ctx := context.Background()
	from := memory.New()
	entries := []journal.Entry{{Seq: 1, At: 5, Data: []byte(`{"a":1}`)}, {Seq: 2, At: 9, Data: nil}, {Seq: 3, At: 9, Data: []byte("three")}}
	if err := from.Append(ctx, entries); err != nil {
		f.Fatal(err)
	}
	var whole bytes.Buffer
	if _, err := journal.Export(ctx, &whole, from, func(uint64) {}); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()-5])
	f.Add(append(append([]byte{}, whole.Bytes()[:8]...), binary.LittleEndian.AppendUint64(nil, 1<<63)...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		into := memory.New()
		last, err := journal.Import(ctx, into, bytes.NewReader(data), func(uint64) {})
		if err != nil {
			return
		}
		var again bytes.Buffer
		if n, err := journal.Export(ctx, &again, into, func(uint64) {}); err != nil || n != last {
			t.Fatalf("%d entries were taken, %d are exported: %v", last, n, err)
		}
		if last > 0 && !bytes.HasPrefix(data[8:], again.Bytes()[8:again.Len()]) && bytes.Equal(data[:8], again.Bytes()[:8]) {
			t.Errorf("what was taken is exported as something else")
		}
	})
}
