package api_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A person's word that a cluster is checked in counts once its record stands on the branch, and the commit is the one that
// was found there. Nothing is asked of the repository for a cluster that there is not.
func TestAPersonsCheckinIsLookedFor(t *testing.T) {
	var commit string
	var away error
	asked := 0
	h := open(t, func(o *api.Options) {
		o.CheckedIn = func(_ context.Context, r fleet.ClusterRecord) (string, error) {
			asked++
			equal(t, "asked for", r.Name, "lynx")
			return commit, away
		}
	})
	_, err := h.Buildout.AddBlueprint(t.Context(), &musterv1.AddBlueprintRequest{Blueprint: &musterv1.Blueprint{
		Name: "nd", Version: 1, Checkin: "person", Meters: []*musterv1.Meter{{Meter: "nd", PerNode: 96}},
	}})
	must(t, err)
	_, err = h.Buildout.PlanCluster(t.Context(), &musterv1.PlanClusterRequest{Record: &musterv1.ClusterRecord{
		Name: "lynx", Subscription: "s1", Region: "east", Gpu: "h200", Blueprint: "nd", Islands: []*musterv1.PlannedIsland{{Name: "a", Nodes: 16}},
	}})
	must(t, err)
	says := func(cluster string) error {
		_, err := h.Buildout.SteerCluster(t.Context(), &musterv1.SteerClusterRequest{Cluster: cluster, Do: "checkin", With: "zzzz"})
		return err
	}
	if err := says("lion"); err == nil || asked != 0 {
		t.Errorf("a cluster that there is not: %v, asked %d times", err, asked)
	}
	if err := says("lynx"); err == nil || !strings.Contains(err.Error(), "muster cluster checkin lynx --dry-run") {
		t.Errorf("it is not on the branch: %v", err)
	}
	away = errors.New("no route to it")
	if err := says("lynx"); err == nil || !strings.Contains(err.Error(), "no route to it") {
		t.Errorf("the branch cannot be looked at: %v", err)
	}
	commit, away = "4be1c0de", nil
	must(t, says("lynx"))
	h.engine.Read(func(s *fleet.State) { equal(t, "commit", s.Life("lynx").Course.Commit, "4be1c0de") })
}
