package journal

import (
	"slices"
	"testing"
)

func TestThinKeepsFewAndCoversThePast(t *testing.T) {
	var kept []uint64
	for seq := uint64(100); seq <= 100_000; seq += 100 {
		kept = append(kept, seq)
		for _, gone := range Thin(kept) {
			kept = slices.DeleteFunc(kept, func(s uint64) bool { return s == gone })
		}
		checkCover(t, kept, seq)
	}
	if len(kept) >= 20 {
		t.Errorf("1,000 snapshots thinned to %d, want under 20: %v", len(kept), kept)
	}
}

// checkCover demands the newest three, the oldest, and a distance to the newest
// that at most doubles from one snapshot to the next.
func checkCover(t *testing.T, kept []uint64, newest uint64) {
	t.Helper()
	for _, want := range []uint64{100, newest, max(100, newest-100), max(100, newest-min(newest, 200))} {
		if !slices.Contains(kept, want) {
			t.Fatalf("at %d: snapshot %d is gone: %v", newest, want, kept)
		}
	}
	for i := 1; i < len(kept)-2; i++ {
		if newest-kept[i-1] > 2*(newest-kept[i])+100 {
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
