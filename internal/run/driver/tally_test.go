package driver

import (
	"reflect"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

func spots(pool int, nodes ...int) []fleet.Spot { return []fleet.Spot{{Pool: pool, Nodes: nodes}} }

func TestTallySaysWhatSpotsSay(t *testing.T) {
	given := []fleet.Spot{{Pool: 1, Nodes: []int{4, 2}}, {Pool: 0, Nodes: []int{7, 7}}}
	want := []fleet.Spot{{Pool: 0, Nodes: []int{7, 7}}, {Pool: 1, Nodes: []int{2, 4}}}
	if got := TallyOf(given).Spots(); !reflect.DeepEqual(got, want) {
		t.Errorf("spots %v, want %v", got, want)
	}
	if got := TallyOf(given).Of(0); got != 2 {
		t.Errorf("pool 0 has %d replicas, want 2", got)
	}
}

func TestTakeTellsFoundFromMissing(t *testing.T) {
	tally := TallyOf(spots(0, 1, 1, 2))
	found, missing := tally.Take(spots(0, 1, 3))
	if !reflect.DeepEqual(found, spots(0, 1)) || !reflect.DeepEqual(missing, spots(0, 3)) {
		t.Errorf("found %v and missing %v, want node 1 and node 3", found, missing)
	}
	if got := tally.Spots(); !reflect.DeepEqual(got, spots(0, 1, 2)) {
		t.Errorf("left %v, want nodes 1 and 2", got)
	}
}

func TestBeyondCountsEachReplica(t *testing.T) {
	more, less := TallyOf(spots(0, 5, 5, 6)), TallyOf(spots(0, 5, 7))
	if got := more.Beyond(less); !reflect.DeepEqual(got, spots(0, 5, 6)) {
		t.Errorf("beyond: %v, want one replica on node 5 and one on 6", got)
	}
	if got := less.Beyond(more); !reflect.DeepEqual(got, spots(0, 7)) {
		t.Errorf("beyond: %v, want the one on node 7", got)
	}
}
