package journaltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

func seqAt(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 1_000)) // entry n at moment 10n
	cases := []struct {
		at   int64
		want uint64
	}{
		{math.MinInt64, 0},
		{9, 0},
		{10, 1},
		{11, 1},
		{19, 1},
		{20, 2},
		{5_005, 500},
		{9_999, 999},
		{10_000, 1_000},
		{10_001, 1_000},
		{math.MaxInt64, 1_000},
	}
	for _, c := range cases {
		wantSeqAt(t, l, c.at, c.want)
	}
}

// seqAtBackwards compares with the definition, read word by word, on logs whose
// clock mostly runs on, often stands still and sometimes steps back.
func seqAtBackwards(t *testing.T, l *log) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	moments := []int64{}
	for at, next := int64(1_000), uint64(1); next <= 600; {
		var group []journal.Entry
		for range 1 + rng.IntN(9) {
			at += []int64{0, 0, 1, 5, 5, 5, 5, 5, 5, 5, -200}[rng.IntN(11)]
			group = append(group, journal.Entry{Seq: next, At: at})
			moments = append(moments, at)
			next++
		}
		mustAppend(t, l, group)
	}
	other := l.another()
	for range 200 {
		at := moments[rng.IntN(len(moments))] + rng.Int64N(3) - 1
		wantSeqAt(t, l, at, lastUpTo(moments, at))
		wantSeqAt(t, other, at, lastUpTo(moments, at))
	}
}

func lastUpTo(moments []int64, at int64) (last uint64) {
	for i, m := range moments {
		if m <= at {
			last = uint64(i) + 1
		}
	}
	return last
}

func wantSeqAt(t *testing.T, j journal.Journal, at int64, want uint64) {
	t.Helper()
	got, err := j.SeqAt(ctx, at)
	if err != nil {
		t.Fatalf("SeqAt(%d): %v", at, err)
	}
	if got != want {
		t.Fatalf("SeqAt(%d) = %d, want %d", at, got, want)
	}
}
