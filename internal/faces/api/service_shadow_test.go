package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWhatWouldHaveBeenDecidedIsSetBesideWhatHappened tells an hour of a watched cluster
// of two nodes: others start work late, let work wait that could start, and keep work
// running that quota would take back. Each is a case, with what became of it.
func TestWhatWouldHaveBeenDecidedIsSetBesideWhatHappened(t *testing.T) {
	ctx := context.Background()
	begin := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	now := begin
	e, err := engine.Open(ctx, engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return now }, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	at := func(minute int, c core.Command) {
		t.Helper()
		now = begin.Add(time.Duration(minute) * time.Minute)
		if _, err := e.Do(ctx, core.Request{Command: c, Actor: core.Reporter, Reason: "the test"}); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	spec := func(name, target string) fleet.Spec {
		return fleet.Spec{
			Name: name, Namespace: "oak", Groups: []string{fleet.SeenOn("tiger")}, Target: target, Priority: fleet.Mid,
			Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
		}
	}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	at(0, core.SetPolicy{Policy: policy})
	at(0, core.AddCluster{Name: "tiger", Mode: fleet.Observe})
	at(0, core.AddPartition{Cluster: "tiger", GPU: "h200"})
	at(0, core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Names: []string{"n1", "n2"}}}})
	at(0, core.CreateQuota{Path: "oak"})
	at(0, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 16})
	at(1, core.Submit{Spec: spec("late", "oak")}) // would start at once; others start it after ten minutes
	at(11, core.Observe{Spec: spec("late", "oak"), Partition: "tiger/h200", On: []core.Seen{{Node: "n1"}}})
	at(12, core.Observe{Spec: spec("play", fleet.Flex), Partition: "tiger/h200", On: []core.Seen{{Node: "n2"}}})
	at(20, core.SetMode{Cluster: "tiger", Mode: fleet.Shadow})
	at(21, core.Submit{Spec: spec("more", "oak")}) // play would have to leave for it
	at(40, core.Cancel{Namespace: "oak", Name: "play"})
	at(59, core.Submit{Spec: spec("last", fleet.Flex)}) // has no room

	h := newShadowPast(fleet.NewState(), "tiger", begin, begin.Add(time.Hour))
	if err := e.Records(ctx, 1, h.hear); err != nil && !errors.Is(err, errFound) {
		t.Fatal(err)
	}
	h.look(begin.Add(time.Hour), true)
	var got []string
	for _, c := range h.answer().GetCases() {
		got = append(got, fmt.Sprintf("%s %s: %s", c.GetWorkload(), c.GetWould(), c.GetHappened()))
	}
	slices.Sort(got)
	want := []string{"oak/late start: started in tiger/h200", "oak/more start: still waits", "oak/play leave: was cancelled"}
	if !slices.Equal(got, want) {
		t.Errorf("it says\n%q, not\n%q", got, want)
	}
}
