package placement

import (
	"math/rand/v2"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of two workloads whose room on a node was reserved, one starts first.
func TestWhoStartsFirstOnReservedRoom(t *testing.T) {
	of := func(id int, target string, reserved uint64, started fleet.Instant) *fleet.Workload {
		return &fleet.Workload{
			ID: uint64(id), Spec: fleet.Spec{Target: target, Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "p", GPUs: 1, Min: 1, Max: 1}}},
			Reserved: reserved, Started: started,
		}
	}
	for what, c := range map[string][2]*fleet.Workload{
		"whose room was reserved first":               {of(2, fleet.Flex, 7, 0), of(1, "oak", 8, 0)},
		"of one record, work in quota before flex":    {of(2, "oak", 7, 0), of(1, fleet.Flex, 7, 0)},
		"of two in quota, who has not started before": {of(2, "oak", 7, 0), of(1, "elm", 7, 5)},
		"of two on flex, who has not started before":  {of(2, fleet.Flex, 7, 0), of(1, fleet.Flex, 7, 5)},
		"of two alike, who was submitted first":       {of(1, "oak", 7, 0), of(2, "oak", 7, 0)},
	} {
		if !startsBefore(c[0], c[1]) || startsBefore(c[1], c[0]) {
			t.Errorf("%s: %v and %v", what, startsBefore(c[0], c[1]), startsBefore(c[1], c[0]))
		}
	}
}

// Replicas that share a key are ordered by their pool, and in it by their place.
func TestReplicasOfOneKeyGoByPoolAndPlace(t *testing.T) {
	order := []unit{{pool: 0, index: 1}, {pool: 0, index: 2}, {pool: 1, index: 0}, {pool: 1, index: 3}}
	for i, u := range order {
		for k, v := range order {
			if u.before(v) != (i < k) {
				t.Errorf("%d/%d before %d/%d: %v", u.pool, u.index, v.pool, v.index, u.before(v))
			}
		}
	}
}

// Of any two candidates one is the cheaper, whichever is asked about first, and of three they go in one order.
func TestCandidatesHaveOneOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(id uint64) *candidateVictim {
		return &candidateVictim{
			unit: unit{
				key:  fleet.Key{Priority: fleet.Priority(rng.IntN(2)), Rank: rng.IntN(2), Surplus: rng.IntN(2) == 0, Since: fleet.Instant(rng.IntN(2)), ID: id},
				pool: rng.IntN(2), index: int(id), overran: rng.IntN(4) == 0,
			},
			class: Class(rng.IntN(3)), lost: rng.IntN(2), ownPart: rng.IntN(4) == 0, onFlex: onFlex{namespace: 8 * rng.IntN(2)},
		}
	}
	for range 100_000 {
		a, b, c := draw(1+rng.Uint64N(2)), draw(3+rng.Uint64N(2)), draw(5)
		if ab, ba := a.compareCost(b), b.compareCost(a); ab != -ba || ab == 0 {
			t.Fatalf("%d one way and %d the other: %+v and %+v", ab, ba, a.unit, b.unit)
		}
		if a.compareCost(b) < 0 && b.compareCost(c) < 0 && a.compareCost(c) > 0 {
			t.Fatalf("they go round: %+v, %+v, %+v", a.unit, b.unit, c.unit)
		}
	}
}

// Of surplus the one leaves that loses less, and else the last that was submitted.
func TestOfSurplusTheCheapestLeaves(t *testing.T) {
	surplus := func(id uint64, lost int) *candidateVictim {
		return &candidateVictim{unit: unit{key: fleet.Key{Surplus: true, ID: id}}, lost: lost}
	}
	for what, c := range map[string][2]*candidateVictim{
		"who loses less":            {surplus(1, 10), surplus(2, 20)},
		"of two who lose the same":  {surplus(2, 10), surplus(1, 10)},
		"surplus before what it is": {surplus(1, 20), {unit: unit{key: fleet.Key{ID: 2}}, lost: 10}},
	} {
		if c[0].compareCost(c[1]) >= 0 || c[1].compareCost(c[0]) <= 0 {
			t.Errorf("%s: %d and %d", what, c[0].compareCost(c[1]), c[1].compareCost(c[0]))
		}
	}
}
