package kube

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of many workloads that wait some are asked about in each round: those of which
// nothing was said come first, then all others in turn.
func TestThePlannerIsAskedInTurns(t *testing.T) {
	const many = 250
	e, err := engine.Open(t.Context(), engine.Options{Journal: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	a := NewReconciler(nil, testEngine{e}, Options{Translate: translate.Defaults("tiger")})
	commands := []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 1}}},
	}
	var pods []translate.Pod
	for i := range many {
		name := fmt.Sprintf("job-%03d", i)
		commands = append(commands, core.Submit{Spec: fleet.Spec{
			Namespace: "oak", Name: name, Groups: []string{mark("tiger")}, Target: "flex", Priority: fleet.Mid,
			Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 2, Max: 2, Reach: fleet.ReachIsland}},
		}})
		pods = append(pods, translate.Pod{
			Namespace: "oak", Name: name, UID: name, GPUs: 8, Gated: true, Wishes: translate.Wishes{Target: "flex"},
			Created: fleet.InstantOf(time.Now().Add(-time.Hour)),
		})
	}
	if err := a.do(t.Context(), commands); err != nil {
		t.Fatal(err)
	}
	round := func() int {
		words := a.conditions.words(Snapshot{Work: translate.Group(pods)})
		news := 0
		for i := range pods {
			if is, told := words[pods[i].Workload()]; told && pods[i].Admitted == "" {
				news++
				pods[i].Admitted = is.message
				if is.reason != "GangTooLarge" {
					t.Errorf("%s is told %s", pods[i].Name, is.reason)
				}
			}
		}
		if len(words) > mostWhys {
			t.Errorf("%d were asked about in one round", len(words))
		}
		return news
	}
	if a, b, c, d := round(), round(), round(), round(); a != mostWhys || b != mostWhys || c != many-2*mostWhys || d != 0 {
		t.Errorf("told for the first time: %d, %d, %d, %d", a, b, c, d)
	}
	again := map[[2]string]bool{}
	for range 3 {
		for key := range a.conditions.words(Snapshot{Work: translate.Group(pods)}) {
			again[key] = true
		}
	}
	if len(again) != many {
		t.Errorf("in three rounds %d of %d were asked about again", len(again), many)
	}
}
