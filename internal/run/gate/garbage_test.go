package gate

import (
	"runtime"
	"testing"
	"time"
)

func TestWhatGarbageTakes(t *testing.T) {
	var g garbage
	now := time.Unix(1000, 0)
	for _, step := range []struct {
		what  string
		after time.Duration
		is    collected
		want  float64
	}{
		{"a quarter so far", 0, collected{1, 3}, 0.25},
		{"nothing was collected since", time.Second, collected{1, 3}, 0.25},
		{"half of what came next", time.Second, collected{3, 5}, 0.5},
		{"no collection for long", longAgo + time.Second, collected{3, 5}, 0},
		{"nothing but garbage", time.Second, collected{4, 5}, 1},
	} {
		now = now.Add(step.after)
		if got := g.takes(now, step.is); got != step.want {
			t.Errorf("%s: %.2f, not %.2f", step.what, got, step.want)
		}
	}
}

// Go counts what is asked for under these names.
func TestCollectionsAreCounted(t *testing.T) {
	before := readCollected()
	runtime.GC()
	if is := readCollected(); is.collecting <= before.collecting || is.working <= 0 {
		t.Errorf("a collection counts %v, before it %v", is, before)
	}
}
