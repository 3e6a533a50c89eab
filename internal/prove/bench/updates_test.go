package bench

import (
	"context"
	"os"
	"testing"
)

// A year of one cluster: Muster breaks no promise, brings nothing untested, and stops a tenth of the gangs at most that
// the better of the other ways stops. MUSTER_BENCH names another bench of this room, whose report is told instead.
func TestAYearOfUpdates(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	if name := os.Getenv("MUSTER_BENCH"); name != "" {
		for _, b := range All() {
			if b.Name == name {
				r, err := b.Run(context.Background(), Options{Seed: 1, Quick: os.Getenv("MUSTER_QUICK") != ""})
				t.Logf("%v\n%s\n%s", err, Markdown([]Report{r}), r.Picture())
			}
		}
		return
	}
	var all []updateTally
	for _, w := range updateWays {
		sum, err := liveYear(context.Background(), Options{Seed: 1}, w, 1)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		t.Logf("%s: %+v", w.name, sum)
		all = append(all, sum)
	}
	ours := all[0]
	if ours.broken > 0 || ours.untested > 0 || ours.stops*10 > min(all[1].stops, all[2].stops) || ours.visits == 0 {
		t.Errorf("%+v", ours)
	}
}
