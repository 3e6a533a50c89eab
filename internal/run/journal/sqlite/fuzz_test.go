package sqlite_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// FuzzDamage harms the files of a journal of 120 entries in ways drawn from the input. For
// any harm it demands that there is no panic, no wrong entry, and no entry missing without a
// *CorruptError. What is reported good can be read and salvaged.
func FuzzDamage(f *testing.F) {
	images := []image{takeImage(f, closedLog(f, fuzzed)), takeImage(f, crashedLog(f, fuzzed)), takeImage(f, youngLog(f, fuzzed))}
	for kind := range images {
		for op := range len(harms) {
			f.Add([]byte{byte(kind), byte(op), 0x20, 0x40, 0x81})
			f.Add([]byte{byte(kind), byte(op), 0x00, 0x70, 0x01, byte(op+1) | 0x80, 0x33, 0x00, 0xff})
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		path := filepath.Join(t.TempDir(), "fleet.db")
		images[int(input[0])%len(images)].harmed(input[1:]).put(t, path)
		checkHarmed(t, path)
	})
}

const fuzzed = 120 // entries

// youngLog has all its entries in the write-ahead log.
func youngLog(t testing.TB, n uint64) string {
	empty := closedLog(t, 0)
	j := mustOpen(t, empty, sqlite.Options{})
	mustAppend(t, j, sample(1, n))
	young := filepath.Join(t.TempDir(), "fleet.db")
	takeImage(t, empty).put(t, young)
	mustClose(t, j)
	return young
}

// image is the files of a journal.
type image map[string][]byte

func takeImage(t testing.TB, path string) image {
	t.Helper()
	files := image{}
	for _, part := range []string{"", "-wal", "-shm", "-head"} {
		if b, err := os.ReadFile(path + part); err == nil {
			files[part] = b
		}
	}
	return files
}

func (m image) put(t testing.TB, path string) {
	t.Helper()
	for part, b := range m {
		mustWrite(t, path+part, b)
	}
}

// harmed reads the input as steps of four bytes: what to do, where, with what.
func (m image) harmed(input []byte) image {
	files := image{}
	for part, b := range m {
		files[part] = append([]byte(nil), b...)
	}
	for ; len(input) >= 4; input = input[4:] {
		part := []string{"", "-wal"}[input[0]>>7]
		if size := len(files[part]); size > 0 {
			at := int(binary.BigEndian.Uint16(input[1:])) % size
			files[part] = harms[int(input[0]&0x7f)%len(harms)](files[part], at, input[3])
		}
	}
	return files
}

var harms = []func(b []byte, at int, with byte) []byte{
	func(b []byte, at int, with byte) []byte { b[at] ^= with; return b },
	func(b []byte, at int, with byte) []byte { b[at] = with; return b },
	func(b []byte, at int, _ byte) []byte { return b[:at] },
	func(b []byte, at int, _ byte) []byte { return append(b, b[at:]...) },
	func(b []byte, at int, with byte) []byte { clear(b[at:min(len(b), at+1+8*int(with))]); return b },
	func(b []byte, at int, with byte) []byte {
		copy(b[at:], b[len(b)*int(with)/256:][:min(512, len(b)-len(b)*int(with)/256)])
		return b
	},
	func(b []byte, at int, with byte) []byte { return append(b[:at], b[min(len(b), at+1+int(with)):]...) },
	func([]byte, int, byte) []byte { return nil },
}

func checkHarmed(t *testing.T, path string) {
	j, err := sqlite.Open(ctx, path, sqlite.Options{FullCheck: true})
	if err == nil {
		wantGood(t, j, fuzzed)
		checkMoments(t, j)
		mustClose(t, j)
		wantGoesOn(t, path, fuzzed)
		return
	}
	var damage *journal.CorruptError
	if !errors.As(err, &damage) {
		wantOtherReason(t, err)
		return
	}
	checkReadable(t, path, damage)
	checkSalvage(t, path, damage)
}

func checkMoments(t *testing.T, j journal.Journal) {
	for _, seq := range []uint64{0, 1, fuzzed / 2, fuzzed} {
		if got, err := j.SeqAt(ctx, int64(seq)*10+5); got != seq || err != nil {
			t.Fatalf("SeqAt of entry %d is %d (%v)", seq, got, err)
		}
	}
}

// wantOtherReason allows what harm to the header can look like: a file of a
// newer version or of another program.
func wantOtherReason(t *testing.T, err error) {
	var version *journal.VersionError
	if !errors.As(err, &version) && !strings.Contains(err.Error(), "no journal") {
		t.Fatalf("an unclear error: %v", err)
	}
}

// checkReadable demands that what is reported good can be read.
func checkReadable(t *testing.T, path string, damage *journal.CorruptError) {
	j, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
	if err != nil {
		asDamage(t, err)
		return
	}
	last, err := readGood(t, j)
	if last != damage.Good || (err == nil && damage.Seq != 0) {
		t.Fatalf("read up to %d (%v), but reported was %v", last, err, damage)
	}
	if _, err := j.SeqAt(ctx, math.MaxInt64); err != nil {
		asDamage(t, err)
	}
	mustClose(t, j)
}

// checkSalvage demands that a salvage keeps what is reported good at least, and what it
// finds beyond as it was written.
func checkSalvage(t *testing.T, path string, damage *journal.CorruptError) {
	j, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true, FullCheck: true})
	if err != nil {
		asDamage(t, err)
		if damage.Good > 0 {
			t.Fatalf("good up to %d, but the salvage fails: %v", damage.Good, err)
		}
		return
	}
	report, _ := j.Salvaged()
	if report.Good < damage.Good {
		t.Fatalf("good up to %d, but the salvage keeps %d", damage.Good, report.Good)
	}
	wantGood(t, j, report.Good)
	mustClose(t, j)
	wantGoesOn(t, path, report.Good)
}

// wantGoesOn demands that the journal takes further entries.
func wantGoesOn(t *testing.T, path string, last uint64) {
	j := mustOpen(t, path, sqlite.Options{})
	mustAppend(t, j, sample(last+1, last+3))
	mustClose(t, j)
	j = mustOpen(t, path, sqlite.Options{FullCheck: true})
	wantGood(t, j, last+3)
	mustClose(t, j)
}
