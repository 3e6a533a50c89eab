package placement

import (
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
