package forecast

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

func ended(values ...int64) []reading {
	var list []reading
	for _, v := range values {
		list = append(list, reading{value: v})
	}
	return list
}

func TestQuantilesOfWhatEnded(t *testing.T) {
	c := newCurve(ended(40, 10, 20, 30))
	for percent, want := range map[int64]int64{10: 10, 25: 10, 26: 20, 50: 20, 99: 40} {
		if got, ok := c.quantile(percent * whole / 100); !ok || got != want {
			t.Errorf("quantile %d %%: %d (%v), want %d", percent, got, ok, want)
		}
	}
}

// 1 of 4 ends at 10, one is still open there: of the two beyond, each is worth 3/8.
func TestWhatIsOpenCountsForWhatIsLonger(t *testing.T) {
	c := newCurve(append(ended(10, 20, 30), reading{value: 10, open: true}))
	for value, want := range map[int64]int64{9: whole, 10: whole / 4 * 3, 20: whole / 8 * 3, 30: 0} {
		if got := c.above(value); got != want {
			t.Errorf("above %d: %d/%d, want %d", value, got, whole, want)
		}
	}
}

func TestWeightsCountAsSoManyReadings(t *testing.T) {
	plain := newCurve(append(ended(10, 10, 10, 30), reading{value: 20, open: true}))
	weighed := newCurve([]reading{{value: 30, weight: 1}, {value: 10, weight: 3}, {value: 20, open: true}})
	for _, value := range []int64{9, 10, 29, 30} {
		if plain.above(value) != weighed.above(value) {
			t.Errorf("above %d: %d of plain readings, %d weighed", value, plain.above(value), weighed.above(value))
		}
	}
}

func TestALastOneThatIsOpenLeavesTheEndUnknown(t *testing.T) {
	c := newCurve(append(ended(10), reading{value: 20, open: true}))
	if _, ok := c.quantile(whole * 6 / 10); ok {
		t.Error("the 60th percentile is claimed to be known, and half are still open")
	}
}

func TestBeyondWhatIsReached(t *testing.T) {
	c := newCurve(ended(10, 20, 30, 40))
	if got, ok := c.beyond(20, whole/2); !ok || got != 30 {
		t.Errorf("half of those above 20 are at most %d (%v), want 30", got, ok)
	}
	if _, ok := c.beyond(40, whole/2); ok {
		t.Error("something is known beyond all that was seen")
	}
}

func TestDrawsTakeEveryPartOfADistributionOnce(t *testing.T) {
	for _, paths := range []int{1, 7, 29, 30} {
		for thing := range uint64(50) {
			seen := map[int64]bool{}
			for path := range paths {
				seen[draw(thing, path, paths)*int64(paths)/whole] = true
			}
			if len(seen) != paths {
				t.Fatalf("thing %d takes %d of %d parts", thing, len(seen), paths)
			}
		}
	}
}

func TestSharesAreExactAndDoNotOverflow(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		ran, most time.Duration
		want      int64
	}{
		{time.Second, 4 * time.Second, unit / 4}, {3 * day, 4 * day, unit * 3 / 4}, {6000 * day, day, 6000 * unit}, {-day, day, 0},
	} {
		if got := share(c.ran, c.most); got != c.want {
			t.Errorf("%s of %s: %d, want %d", c.ran, c.most, got, c.want)
		}
	}
	if got := scale(20000*day, 3*unit/2); got != 30000*day {
		t.Errorf("one and a half of 20000 days: %s", got)
	}
	if got := scale(20000*day, 1<<40); got < 20000*day {
		t.Errorf("a great many times 20000 days: %s", got)
	}
}

func TestWhoDeclaresMuchMayUseLess(t *testing.T) {
	h := &History{all: &habit{}}
	for range enough {
		h.all.add(time.Hour, reading{value: unit * 9 / 10})
		h.all.add(100*time.Hour, reading{value: unit * 2 / 10})
	}
	h.close()
	for most, want := range map[time.Duration]time.Duration{time.Hour: 54 * time.Minute, 100 * time.Hour: 20 * time.Hour} {
		w := &fleet.Workload{Spec: fleet.Spec{MaxRuntime: most}}
		if got, ok := h.runtime(w, 0, whole/2); !ok || got != want {
			t.Errorf("of %s at the median %s (%v), want %s", most, got, ok, want)
		}
	}
}
