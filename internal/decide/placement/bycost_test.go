package placement

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A list comes in the order of cost, whether it is in none, in that already, or put together of parts that are; so it
// does where figures are too large for the number that stands for most of them.
func TestCandidatesAreSortedByCost(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	figures := []int{0, 1, 8, 1 << 16, 1<<16 - 1, 1 << 33, 1<<33 + 1, -1, -2}
	for range 20_000 {
		list := make([]*candidateVictim, rng.IntN(40))
		for i := range list {
			list[i] = &candidateVictim{
				unit: unit{
					key:     fleet.Key{Priority: fleet.Priority(rng.IntN(3)), Rank: figures[rng.IntN(len(figures))], Surplus: rng.IntN(2) == 0, ID: uint64(i)},
					overran: rng.IntN(4) == 0,
				},
				class: Class(rng.IntN(3)), lost: rng.IntN(2), ownPart: rng.IntN(4) == 0, onFlex: onFlex{namespace: figures[rng.IntN(len(figures))]},
			}
		}
		parts := rng.IntN(2 * fewRuns)
		for range parts {
			from := rng.IntN(len(list) + 1)
			slices.SortFunc(list[from:from+rng.IntN(len(list)-from+1)], (*candidateVictim).compareCost)
		}
		want := slices.Clone(list)
		slices.SortFunc(want, (*candidateVictim).compareCost)
		if got := byCost(list); !slices.Equal(got, want) {
			t.Fatalf("%d candidates of %d parts are not in order", len(list), parts)
		}
	}
}

// What the last search found makes the next one shorter, and changes nothing of what it finds.
func TestTheLastSearchChangesNothing(t *testing.T) {
	for most := range 20 {
		for atLeast := range most + 1 {
			for least := atLeast; least <= most; least++ {
				l := &lastInIsland{atLeast: atLeast}
				if got := l.search(most, func(n int) bool { return n >= least }); got != least || l.atLeast != least {
					t.Fatalf("of %d, known to be at least %d: %d in place of %d", most, atLeast, got, least)
				}
			}
		}
	}
}
