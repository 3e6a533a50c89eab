package journal

import (
	"slices"
	"testing"
)

func TestThinKeepsFewAndCoversThePast(t *testing.T) {
	for _, every := range []uint64{1, 7, 100, 25_000} {
		var kept []uint64
		for n := uint64(1); n <= 3_000; n++ {
			kept = append(kept, n*every)
			for _, gone := range Thin(kept) {
				kept = slices.DeleteFunc(kept, func(s uint64) bool { return s == gone })
			}
			checkCover(t, kept, every, n*every)
		}
	}
}

// checkCover demands the newest three, the oldest, few in all, and no hole much
// larger than a 256th of the log, or a 64th where it is old.
func checkCover(t *testing.T, kept []uint64, every, newest uint64) {
	t.Helper()
	for back := range min(uint64(3), newest/every) {
		if !slices.Contains(kept, newest-back*every) {
			t.Fatalf("at %d: snapshot %d is gone: %v", newest, newest-back*every, kept)
		}
	}
	if kept[0] != every {
		t.Fatalf("at %d: the oldest is gone: %v", newest, kept)
	}
	if len(kept) > 180 {
		t.Fatalf("at %d: %d snapshots are kept", newest, len(kept))
	}
	for i := 1; i < len(kept); i++ {
		far := max(1, newest/256)
		if kept[i-1] < newest-newest/8 {
			far *= oldApart
		}
		if kept[i]-kept[i-1] > 2*far+every {
			t.Fatalf("at %d: a hole between %d and %d: %v", newest, kept[i-1], kept[i], kept)
		}
	}
}

func TestThinLeavesFewAlone(t *testing.T) {
	for _, seqs := range [][]uint64{nil, {5}, {5, 6}, {5, 6, 7}} {
		if drop := Thin(seqs); drop != nil {
			t.Errorf("Thin(%v) drops %v", seqs, drop)
		}
	}
}
