package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// inventory is what a program reads there.
type inventory struct {
	Version  int
	Clusters []struct {
		Name, Phase, Region string
		Islands             []struct {
			Name  string
			Nodes int
		}
		Variables map[string]string
	}
}

func (h *house) inventory(tag string) (v inventory, code int, newTag string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.url+"/v1/inventory", nil)
	must(h.t, err)
	r.Header.Set("If-None-Match", tag)
	answer, err := http.DefaultClient.Do(r)
	must(h.t, err)
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		must(h.t, json.NewDecoder(answer.Body).Decode(&v))
	}
	return v, answer.StatusCode, answer.Header.Get("ETag")
}

// Projects read which clusters there are, from the record on. What has not changed is not
// sent again, and where a secret is stays out.
func TestTheInventoryNamesEveryCluster(t *testing.T) {
	h := open(t)
	empty, code, first := h.inventory("")
	if code != http.StatusOK || empty.Version != 1 || empty.Clusters == nil || len(empty.Clusters) != 0 {
		t.Fatalf("%d: %+v", code, empty)
	}
	_, err := h.Buildout.AddBlueprint(t.Context(), &musterv1.AddBlueprintRequest{Blueprint: &musterv1.Blueprint{
		Name: "nd", Version: 1, Checkin: "inventory", Meters: []*musterv1.Meter{{Meter: "nd", PerNode: 96}},
	}})
	must(t, err)
	_, err = h.Buildout.PlanCluster(t.Context(), &musterv1.PlanClusterRequest{Record: &musterv1.ClusterRecord{
		Name: "lynx", Subscription: "s1", Region: "east", Gpu: "h200", Blueprint: "nd", Islands: []*musterv1.PlannedIsland{{Name: "a", Nodes: 16}},
		Variables: map[string]string{"zone": "2", "db_password": "env:DB_PASSWORD"},
	}})
	must(t, err)
	v, _, tag := h.inventory(first)
	if len(v.Clusters) != 1 || tag == first {
		t.Fatalf("%+v, tag %s, before %s", v, tag, first)
	}
	c := v.Clusters[0]
	if c.Name != "lynx" || c.Phase != "Planned" || c.Region != "east" || c.Islands[0].Nodes != 16 || len(c.Variables) != 1 || c.Variables["zone"] != "2" {
		t.Errorf("%+v", c)
	}
	if _, code, _ := h.inventory(tag); code != http.StatusNotModified {
		t.Errorf("what has not changed is answered with %d", code)
	}
}

// Where callers sign in, the inventory is for those who may read figures.
func TestTheInventoryIsForThoseWhoMayReadFigures(t *testing.T) {
	if _, code, _ := guarded(t).inventory(""); code != http.StatusUnauthorized {
		t.Errorf("a stranger is answered with %d", code)
	}
}
