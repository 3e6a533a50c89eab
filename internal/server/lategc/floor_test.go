package lategc

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

// A heap is collected at its floor while it is small, and by its percentage once it is large.
func TestAFloorEndsWithASmallHeap(t *testing.T) {
	const mb = 1 << 20
	f := &floor{40, 96 * mb}
	for _, c := range []struct{ inUse, least, most uint64 }{
		{4 * mb, 40 * mb, 48 * mb}, // tenfold at most
		{20 * mb, 96 * mb, 104 * mb},
		{60 * mb, 96 * mb, 120 * mb},
		{69 * mb, 96 * mb, 97 * mb},
		{1000 * mb, 1400 * mb, 1400 * mb},
	} {
		at := c.inUse + c.inUse*uint64(f.next(c.inUse))/100
		if at < c.least || at > c.most {
			t.Errorf("%d MB in use are collected at %d MB, want %d to %d", c.inUse/mb, at/mb, c.least/mb, c.most/mb)
		}
	}
	if got := (&floor{usual, firstFloor}).next(0); got != 400 {
		t.Errorf("an empty heap is collected at %d %% of 4 MB, want 400", got)
	}
}

// TestCollectAsksAfterEachCollection asks a process of its own, whose heap grows and shrinks.
func TestCollectAsksAfterEachCollection(t *testing.T) {
	if os.Getenv("MUSTER_LATEGC") == "" {
		alone(t, "GOGC=")
		return
	}
	Collect(40, 32<<20)
	until := func(is func(int) bool) {
		for !is(percent()) {
			runtime.GC()
			runtime.Gosched()
		}
	}
	until(func(p int) bool { return p > 100 })
	large := make([]byte, 128<<20)
	until(func(p int) bool { return p == 40 })
	runtime.KeepAlive(large)
	until(func(p int) bool { return p > 100 })
	debug.SetGCPercent(40)
}
