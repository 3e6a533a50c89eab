package keys_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/keys"
)

const hour = int64(time.Hour)

// text is what the log holds of a record.
func text(seq uint64) []byte { return fmt.Append(nil, "record ", seq) }

func reopen(t testing.TB, dir string) *keys.Index {
	t.Helper()
	x, err := keys.Open(dir, text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// fill adds records from one to another, one an hour, each second one with a key.
func fill(x *keys.Index, from, to uint64) {
	for seq := from; seq <= to; seq++ {
		key := ""
		if seq%2 == 0 {
			key = fmt.Sprint("key ", seq)
		}
		x.Add(seq, int64(seq)*hour, key, text(seq))
	}
}

// check demands that keys from one record to another are found and none before, and since when.
func check(t *testing.T, x *keys.Index, from, to uint64) {
	t.Helper()
	for seq := uint64(2); seq <= to; seq += 2 {
		if found := slices.Contains(x.Find(fmt.Sprint("key ", seq)), seq); found != (seq >= from) {
			t.Fatalf("the key of record %d is found: %v; want those from %d on", seq, found, from)
		}
	}
	if got := x.Since(); x.End() != to || got != int64(from-1)*hour {
		t.Errorf("keys are known since hour %d up to record %d, want hour %d up to %d", got/hour, x.End(), from-1, to)
	}
}

func TestKeysAreKnownForSevenDays(t *testing.T) {
	x := reopen(t, "")
	fill(x, 1, 150)
	check(t, x, 1, 150)
	fill(x, 151, 1000)
	check(t, x, (1000/24-7)*24, 1000)
	if x.Find("key of nobody") != nil {
		t.Error("a key that was never used is found")
	}
}

func TestAnIndexComesBackFromItsFiles(t *testing.T) {
	dir := t.TempDir()
	x := reopen(t, dir)
	x.Begin(0, 0)
	for end := uint64(1); end < 600; end += 47 {
		fill(x, x.End()+1, end)
		if err := x.Flush(); err != nil {
			t.Fatal(err)
		}
		x = reopen(t, dir)
		from := uint64(1)
		if end/24 > 7 {
			from = (end/24 - 7) * 24
		}
		check(t, x, from, end)
	}
	if files, _ := os.ReadDir(dir); len(files) > 9 {
		t.Errorf("%d files are kept of eight days", len(files))
	}
}

// However many keys a day has, no more than the bound are known, and it is said since when. What goes
// is a small part of them at once.
func TestKeysAreBoundedWithinADay(t *testing.T) {
	const most, each = 400, 25
	dir := t.TempDir()
	x := reopen(t, dir)
	x.Begin(0, 0)
	x.Bound(most, each)
	for seq := uint64(1); seq <= 5000; seq++ { // 2,500 keys within an hour and a half
		x.Add(seq, int64(seq)*int64(time.Second), keyOf(seq), text(seq))
		if seq < 2*most || seq%97 > 0 {
			continue
		}
		if x.Bytes() > 12*(most+each) {
			t.Fatalf("after %d records the keys take %d bytes", seq, x.Bytes())
		}
		from := uint64(x.Since()/int64(time.Second)) + 1
		if known := (seq - from + 1) / 2; known < most || known > most+each {
			t.Fatalf("after %d records %d keys are said to be known", seq, known)
		}
		for _, at := range []uint64{from + from%2, seq - seq%2} {
			if !slices.Contains(x.Find(keyOf(at)), at) {
				t.Fatalf("after %d records the key of %d is not found, though those from %d on are known", seq, at, from)
			}
		}
	}
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
	back := reopen(t, dir)
	if back.End() != x.End() || back.Since() != x.Since() || !slices.Equal(back.Find(keyOf(4998)), x.Find(keyOf(4998))) {
		t.Errorf("from its files it knows records up to %d since %d, before up to %d since %d", back.End(), back.Since(), x.End(), x.Since())
	}
}

// keyOf is the key of each second record.
func keyOf(seq uint64) string {
	if seq%2 > 0 {
		return ""
	}
	return fmt.Sprint("key ", seq)
}

// What is damaged is cut off, and what follows it; an index of another log is not used.
func TestADamagedIndexNeverLies(t *testing.T) {
	dir := t.TempDir()
	x := reopen(t, dir)
	fill(x, 1, 100)
	_ = x.Flush()
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	whole := map[string][]byte{}
	for _, f := range files {
		whole[f], _ = os.ReadFile(f)
	}
	for _, hurt := range files {
		for at := 0; at < len(whole[hurt]); at += 11 {
			for name, data := range whole {
				data = slices.Clone(data)
				if name == hurt {
					data[at] ^= 1 << (at % 8)
				}
				if err := os.WriteFile(name, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			x := reopen(t, dir)
			if x.End() >= 100 {
				t.Fatalf("with byte %d of %s changed all records are said to be known", at, hurt)
			}
			fill(x, x.End()+1, 100)
			check(t, x, 1, 100)
		}
	}
	other, err := keys.Open(dir, func(uint64) []byte { return []byte("of another log") })
	if err != nil || other.End() != 0 {
		t.Errorf("files of another log are used up to record %d (%v)", other.End(), err)
	}
}

// BenchmarkAWeek measures what a key costs: MUSTER_KEYS of them over seven days (30 million are 50 a
// second).
func BenchmarkAWeek(b *testing.B) {
	n := uint64(1_000_000)
	if text := os.Getenv("MUSTER_KEYS"); text != "" {
		_, _ = fmt.Sscan(text, &n)
	}
	x := reopen(b, b.TempDir())
	step, began := int64(7*24*time.Hour)/int64(n), time.Now()
	data, most := text(1), time.Duration(0)
	for seq := uint64(1); seq <= n; seq++ {
		before := time.Now()
		x.Add(seq, int64(seq)*step, fmt.Sprint("user:ada at-66000000-", seq), data)
		most = max(most, time.Since(before))
	}
	took, seq := time.Since(began), uint64(0)
	for b.Loop() {
		seq++
		x.Find(fmt.Sprint("user:ada at-66000000-new", seq))
	}
	b.ReportMetric(float64(most.Microseconds())/1e3, "ms/longest-add")
	b.ReportMetric(float64(took.Nanoseconds())/float64(n), "ns/add")
	b.ReportMetric(float64(x.Bytes())/float64(n), "B/key")
	b.ReportMetric(float64(x.Bytes())/1e6, "MB")
}
