package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestClustersWithTheSameNamesDoNotMeet shows two random clusters whose nodes,
// namespaces and workloads have the same names, of which the second, or both, are
// called with their cluster's name. Nothing is refused, and what one cluster shows
// changes nothing of the other.
func TestClustersWithTheSameNamesDoNotMeet(t *testing.T) {
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 9))
		now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		e, err := engine.Open(context.Background(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return now }, Synchronous: true})
		if err != nil {
			t.Fatal(err)
		}
		clusters := []*shownCluster{newShown("tiger", seed%2 == 0), newShown("lion", true)}
		for range 20 {
			now = now.Add(time.Duration(r.IntN(600)) * time.Second)
			at := r.IntN(2)
			is, other := clusters[at], clusters[1-at]
			changeNodes(r, is.nodes, now)
			changePods(r, is.pods, now)
			before := of(e, other.options.Cluster)
			show(t, seed, e, is.options.Cluster, is.snapshotOf(), now)
			if again := show(t, seed, e, is.options.Cluster, is.snapshotOf(), now); again > 0 {
				t.Fatalf("seed %d: shown the same again, it has %d commands", seed, again)
			}
			if after := of(e, other.options.Cluster); before != after {
				t.Fatalf("seed %d: %s was shown, and %s changed\nfrom %s\nto   %s", seed, is.options.Cluster, other.options.Cluster, before, after)
			}
			e.Read(func(s *fleet.State) {
				for _, b := range invariant.Check(s) {
					t.Fatalf("seed %d: broken: %s", seed, b)
				}
			})
		}
	}
}

// shownCluster is a cluster that is only told of.
type shownCluster struct {
	options translate.Options
	nodes   map[string]translate.Node
	pods    map[string]translate.Pod
}

func newShown(name string, distinct bool) *shownCluster {
	o := translate.Defaults(name)
	o.Distinct = distinct
	return &shownCluster{o, map[string]translate.Node{}, map[string]translate.Pod{}}
}

func (c *shownCluster) snapshotOf() Snapshot {
	of := objects{quotas: []translate.Quota{{Path: "oak", Namespaces: []string{"oak"}, Grants: []translate.Grant{{GPUs: 16}}}}}
	for _, n := range values(c.nodes) {
		n.Name = c.options.Called(n.Name)
		for i := range n.Signals {
			n.Signals[i].Node = n.Name
		}
		of.nodes = append(of.nodes, n)
	}
	for _, p := range values(c.pods) {
		p.Node, p.Namespace = c.options.Called(p.Node), c.options.Called(p.Namespace)
		of.pods = append(of.pods, p)
	}
	return snapshotOf(of)
}

// of writes what is known of one cluster: its nodes and its work.
func of(e *engine.Engine, cluster string) string {
	var b strings.Builder
	e.Read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			if p.Cluster != cluster {
				continue
			}
			for _, n := range p.Nodes {
				fmt.Fprintf(&b, "%s %s %d\n", n.Name, n.State, n.Dead)
			}
		}
		for _, w := range standingOf(s, cluster) {
			seats, _ := json.Marshal(seatsOf(w))
			fmt.Fprintf(&b, "%d %s/%s %s %s\n", w.ID, w.Namespace, w.Name, w.State, seats)
		}
	})
	return b.String()
}

// TestAClusterSpeaksOfItselfAlone gives an engine, by tiger's agent, commands about
// another cluster: none is done.
func TestAClusterSpeaksOfItselfAlone(t *testing.T) {
	now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	e, err := engine.Open(context.Background(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return now }, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	do := func(e Engine, c core.Command) error {
		_, err := e.Do(context.Background(), core.Request{Command: c, Actor: core.Reporter, Reason: "the test"})
		return err
	}
	spec := func(cluster, name string) fleet.Spec {
		return fleet.Spec{
			Name: name, Namespace: "oak@" + cluster, Groups: []string{mark(cluster)}, Target: fleet.Flex, Priority: fleet.Mid,
			Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
		}
	}
	for _, cluster := range []string{"tiger", "lion"} {
		for _, c := range []core.Command{
			core.AddCluster{Name: cluster, Mode: fleet.Observe},
			core.AddPartition{Cluster: cluster, GPU: "h200"},
			core.AddIslands{Partition: cluster + "/h200", Islands: []core.NewIsland{{Name: "a", Names: []string{"n1@" + cluster}}}},
			core.Observe{Spec: spec(cluster, "job"), Partition: cluster + "/h200", On: []core.Seen{{Node: "n1@" + cluster}}},
		} {
			if err := do(Scoped(testEngine{e}, cluster), c); err != nil {
				t.Fatalf("%s may say of itself %+v: %v", cluster, c, err)
			}
		}
	}
	if err := do(testEngine{e}, core.CreateQuota{Path: "oak", Access: fleet.Access{Namespaces: []string{"lion/oak"}}}); err != nil {
		t.Fatal(err)
	}
	tiger := Scoped(testEngine{e}, "tiger")
	before, _ := e.StateAfter(context.Background(), e.Durable())
	for _, c := range []core.Command{
		core.AddCluster{Name: "bear"},
		core.AddPartition{Cluster: "lion", GPU: "b300"},
		core.AddIslands{Partition: "lion/h200", Islands: []core.NewIsland{{Name: "b", Nodes: 1}}},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "b", Names: []string{"n2@lion"}}}},
		core.SetNodes{Names: []string{"n1@lion"}, State: fleet.Quarantined},
		core.TakeSignals{Signals: []fleet.Signal{{Node: "n1@lion", Check: "NodeReady"}}},
		core.StopReports{Cluster: "lion"},
		core.ResumeReports{Cluster: "lion"},
		core.SetGrant{Quota: "oak", Partition: "lion/h200"},
		core.SetAccess{Path: "oak", Access: fleet.Access{Namespaces: []string{"tiger/oak"}}},
		core.CreateQuota{Path: "elm", Access: fleet.Access{Users: []string{"eve"}}},
		core.CreateQuota{Path: "elm", Owner: "eve"},
		core.Submit{Spec: spec("lion", "more")},
		core.Observe{Spec: spec("tiger", "more"), Partition: "lion/h200"},
		core.Observe{Spec: spec("lion", "job"), Partition: "tiger/h200"},
		core.Cancel{Namespace: "oak@lion", Name: "job"},
		core.Resize{Namespace: "oak@lion", Name: "job", Pool: "main", Min: 1, Max: 2},
		core.Adopt{Namespace: "oak@lion", Name: "job", Groups: []string{"uid:x"}},
		core.MeasureUsage{Of: []core.Measured{{Namespace: "oak@lion", Name: "job", SM: 1}}},
		core.ReportFinished{ID: before.Workload("oak@lion", "job").ID},
		core.ReportStopped{ID: before.Workload("oak@lion", "job").ID},
		core.Batch{Commands: []core.Command{core.StopReports{Cluster: "tiger"}, core.StopReports{Cluster: "lion"}}},
		core.SetPolicy{Policy: fleet.DefaultPolicy()},
	} {
		if err := do(tiger, c); err == nil || !strings.Contains(err.Error(), "may not speak of") {
			t.Errorf("tiger's agent could give %T: %v", c, err)
		}
	}
	left, err := tiger.Do(context.Background(), core.Request{Actor: core.Reporter, Command: core.Batch{Each: true, Commands: []core.Command{core.StopReports{Cluster: "lion"}, core.AddCluster{Name: "tiger"}, core.StopReports{Cluster: "bear"}}}})
	if err != nil || len(left) != 3 || !strings.Contains(left[0].Error(), "may not speak of") || strings.Contains(left[1].Error(), "may not speak of") || left[2] == nil {
		t.Errorf("of each by itself it answers %v (%v); want the first and the last refused as another's, the second by the engine", left, err)
	}
	after, _ := e.StateAfter(context.Background(), e.Durable())
	if before.Hash() != after.Hash() {
		t.Error("something has changed")
	}
}
