package past_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of eight nodes six are promised, of the five in island a four. The second failure
// breaks what island a promised alone, the third what the partition promised: each is
// told with the node that broke it, the hours it was promised in, and who was out.
func TestABrokenPromiseNamesItsNode(t *testing.T) {
	s := tell(t)
	s.pass(3 * time.Hour)
	for i, node := range []string{"tiger-h200-a-001", "tiger-h200-a-002", "tiger-h200-b-001"} {
		s.pass(10 * time.Minute)
		s.node(node, fleet.Quarantined, []string{"XID 79", "XID 48", "fan"}[i])
	}
	w, _ := s.all()
	list := s.book.BrokenIn("", w)
	if len(list) != 3 {
		t.Fatalf("broken: %+v", list)
	}
	short, long, island := list[0], list[1], list[2] // the last record first
	if island.Island != "a" || island.Promised != 4 || island.Whole != 3 || island.Lost[0].Node != "tiger-h200-a-002" || island.Lost[0].Cause != "XID 48" {
		t.Errorf("island a: %+v", island)
	}
	if short.Island != "" || short.Horizon != 24 || short.Promised != 6 || short.Whole != 5 || len(short.Lost) != 1 || short.Lost[0].Node != "tiger-h200-b-001" {
		t.Errorf("the partition: %+v", short)
	}
	if short.Promises != 4 || short.First != start.UnixMilli() || short.Last != start.Add(3*time.Hour).UnixMilli() {
		t.Errorf("its promises: %+v", short)
	}
	if long.Horizon != 28*24 || long.At != short.At {
		t.Errorf("what is sustainable: %+v", long)
	}
	out := s.book.OutAt(short)
	if len(out) != 2 || out[0].Node != "tiger-h200-a-001" || out[0].Cause != "XID 79" || out[1].Node != "tiger-h200-a-002" {
		t.Errorf("out already: %+v", out)
	}
	if got := s.book.BrokenIn("tiger/h200/a", w); len(got) != 1 {
		t.Errorf("of island a: %+v", got)
	}
	if got := s.book.BrokenIn("lion", w); len(got) != 0 {
		t.Errorf("of another cluster: %+v", got)
	}
}

// What is counted as broken hour by hour is what the breaks say together, however
// often a random history fails.
func TestBreaksAddUpToWhatIsCountedBroken(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		s := tell(t)
		s.live(rand.New(rand.NewPCG(seed, 11)), 120)
		s.pass(2 * time.Hour)
		told := map[string]int{}
		for _, b := range s.book.Breaks {
			if b.Island == "" && b.Horizon == fleet.PromisableHours {
				told[b.Partition] += b.Promises
			}
		}
		for _, p := range s.s.Partitions {
			broken := 0
			for _, o := range s.book.Promises[p.ID].Done {
				broken += o.Broken
			}
			if told[p.ID] != broken {
				t.Errorf("seed %d, %s: breaks tell of %d broken promises, counted are %d", seed, p.ID, told[p.ID], broken)
			}
		}
	}
}
