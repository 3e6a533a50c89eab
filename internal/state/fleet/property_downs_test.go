package fleet

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Nodes go and come back, several at one moment, some without a trace; the most
// that were down at once is what a walk along all stretches says, whatever the window.
func TestTheMostThatWereDownIsWhatAWalkSays(t *testing.T) {
	states := []NodeState{Healthy, Healthy, Suspect, Quarantined, Repairing, Probation}
	rapid.Check(t, func(t *rapid.T) {
		s := NewState()
		s.AddPartition("c", "g", 8)
		p := s.Partitions[0]
		p.AddIsland("a", 1)
		p.AddIsland("b", 1)
		for i := range 8 {
			p.AddNode(fmt.Sprintf("n%d", i), i%2, 1, 1)
		}
		now := Instant(1)
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "passes")))
			n := rapid.IntRange(0, len(p.Nodes)-1).Draw(t, "node")
			to := rapid.SampledFrom(states).Draw(t, "to")
			if to != p.Nodes[n].State {
				p.SetNode(n, to, 0, "test", now)
			}
			since := Instant(rapid.Int64Range(-1, int64(now)).Draw(t, "since"))
			at := now.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "asked")))
			for island := -1; island < 2; island++ {
				if got, want := p.MostDown(island, since, at), WalkMostDown(p, island, since, at); got != want {
					t.Fatalf("island %d since %d at %d: %d, want %d of %v", island, since, at, got, want, p.Downs)
				}
			}
		}
	})
}
