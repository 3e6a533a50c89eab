package fleetfile_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Each field of a cluster, a partition and an island in a file reaches the fleet, and is written into
// a file of it: a field that is left out anywhere on that way would be lost without a word.
func TestEveryFieldOfAPartitionSurvivesTheWay(t *testing.T) {
	buffer := func(share fleet.Permille) *fleet.Buffer {
		b := fleet.DefaultBuffer(fleet.Fixed)
		b.Share = share
		return &b
	}
	want := fleetfile.Cluster{
		Line: 1, Name: "tiger", Targets: &fleet.Targets{Availability: 900, Uptime: 990, MTTR: time.Hour}, Buffer: buffer(100),
		Partitions: []fleetfile.Partition{{
			Line: 1, GPU: "h200", GPUsPerNode: 4, Buffer: buffer(110),
			Islands: []fleetfile.Island{{Line: 1, Name: "i1", Nodes: 2, Names: []string{"oak", "elm"}, Racks: 2, Buffer: buffer(120)}},
		}},
	}
	allSay(t, want, want.Partitions[0], want.Partitions[0].Islands[0])
	s := fleet.NewState()
	for _, c := range fleetfile.Commands(fleetfile.File{Clusters: []fleetfile.Cluster{want}}) {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "the first fleet"}, 1); refusal != nil {
			t.Fatal(refusal)
		}
	}
	text, f := writtenAndRead(t, s)
	if len(f.Clusters) != 1 || len(f.Clusters[0].Partitions) != 1 || len(f.Clusters[0].Partitions[0].Islands) != 1 {
		t.Fatalf("%s", text)
	}
	got := &f.Clusters[0]
	got.Line, got.Partitions[0].Line, got.Partitions[0].Islands[0].Line = 1, 1, 1
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("read from the fleet's file it is\n%+v, was\n%+v\n%s", *got, want, text)
	}
}

// allSay asks that no field of the values is empty.
func allSay(t *testing.T, values ...any) {
	t.Helper()
	for _, value := range values {
		is := reflect.ValueOf(value)
		for i := range is.NumField() {
			if is.Field(i).IsZero() {
				t.Errorf("%s.%s is empty: give it a value here", is.Type().Name(), is.Type().Field(i).Name)
			}
		}
	}
}
