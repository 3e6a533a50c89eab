package server

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What a cluster shows is judged as its people are: with an access list alone where they sign in.
func TestClustersSpeakForPeopleWhoSignIn(t *testing.T) {
	for _, signIn := range []bool{false, true} {
		e, err := engine.Open(t.Context(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return fleet.InstantOf(time.Unix(1, 0)) }})
		if err != nil {
			t.Fatal(err)
		}
		s := &server{engine: e}
		if signIn {
			s.people = &api.Local{}
		}
		for _, c := range []core.Command{
			core.AddCluster{Name: "tiger"},
			core.AddPartition{Cluster: "tiger", GPU: "h200"},
			core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 1}}},
			core.CreateQuota{Path: "q"},
		} {
			if _, err := e.Do(t.Context(), core.Request{Command: c, Actor: core.System}); err != nil {
				t.Fatal(err)
			}
		}
		spec := fleet.Spec{Name: "pods", Namespace: "oak", Target: "q", Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachIsland}}}
		_, err = kubeEngine{s}.Do(t.Context(), core.Request{Command: core.Submit{Spec: spec}, Actor: core.Reporter})
		if refused := err != nil; refused != signIn {
			t.Errorf("people sign in: %v; pods in a quota without a list: %v", signIn, err)
		}
		if counts := s.clusterOptions(joinOptions{Name: "tiger"}, nil).ByList; counts != signIn {
			t.Errorf("people sign in: %v; the cluster counts its pods so: %v", signIn, counts)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
