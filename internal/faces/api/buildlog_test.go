package api_test

import (
	"strings"
	"testing"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// A log is shown in characters that a terminal does not obey, of the cluster's own operations
// alone. Where there is none, the answer says why.
func TestALogIsOfItsClusterAndObeysNothing(t *testing.T) {
	var asked []string
	h := open(t, func(o *api.Options) {
		o.Logs = func(operation string) (string, bool, error) {
			asked = append(asked, operation)
			if operation == "lynx.pipeline.g1.1" {
				return "one\x1b[31m red\n\xfftwo\n", true, nil
			}
			return "", false, nil
		}
	})
	_, err := h.Buildout.AddBlueprint(t.Context(), &musterv1.AddBlueprintRequest{Blueprint: &musterv1.Blueprint{
		Name: "nd", Version: 1, Checkin: "inventory", Meters: []*musterv1.Meter{{Meter: "nd", PerNode: 96}},
	}})
	must(t, err)
	for _, name := range []string{"lynx", "puma"} {
		_, err = h.Buildout.PlanCluster(t.Context(), &musterv1.PlanClusterRequest{Record: &musterv1.ClusterRecord{
			Name: name, Subscription: "s1", Region: "east", Gpu: "h200", Blueprint: "nd", Islands: []*musterv1.PlannedIsland{{Name: "a", Nodes: 16}},
		}})
		must(t, err)
	}
	res, err := h.Buildout.GetClusterLog(t.Context(), &musterv1.GetClusterLogRequest{Cluster: "lynx"})
	must(t, err)
	equal(t, "missing", res.GetMissing(), "The pipeline has not begun.")
	res, err = h.Buildout.GetClusterLog(t.Context(), &musterv1.GetClusterLogRequest{Cluster: "lynx", Operation: "lynx.pipeline.g1.1"})
	must(t, err)
	equal(t, "text", res.GetText(), "one [31m red\n?two\n")
	equal(t, "cut", res.GetCut(), true)
	res, err = h.Buildout.GetClusterLog(t.Context(), &musterv1.GetClusterLogRequest{Cluster: "lynx", Operation: "lynx.pipeline.g1.2"})
	must(t, err)
	if !strings.Contains(res.GetMissing(), "keeps no log of lynx.pipeline.g1.2") {
		t.Errorf("no log is answered with %q", res.GetMissing())
	}
	_, err = h.Buildout.GetClusterLog(t.Context(), &musterv1.GetClusterLogRequest{Cluster: "lynx", Operation: "puma.pipeline.g1.1"})
	if err == nil || !strings.Contains(err.Error(), "is none of cluster lynx") {
		t.Errorf("another cluster's operation: %v", err)
	}
	_, err = h.Buildout.GetClusterLog(t.Context(), &musterv1.GetClusterLogRequest{Cluster: "nobody"})
	equal(t, "code", connect.CodeOf(err), connect.CodeNotFound)
	equal(t, "asked", strings.Join(asked, " "), "lynx.pipeline.g1.1 lynx.pipeline.g1.2")
}
