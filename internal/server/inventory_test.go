package server

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/prove/tofutest"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/provision"
	outside "github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// peersProject is a project that has to know every other cluster: it reads them from the inventory.
const peersProject = `terraform {
  required_providers { muster = { source = "muster.test/fleet/muster" } }
}
variable "cluster" { type = string }
variable "muster" { type = string }
provider "muster" { address = var.muster }
data "muster_inventory" "all" {}
resource "terraform_data" "peer" {
  for_each = { for c in data.muster_inventory.all.clusters : c.name => c if c.name != var.cluster }
  input    = "${each.key} in ${each.value.region} with ${sum([for i in each.value.islands : i.nodes])} nodes of ${each.value.gpu}"
}
`

// peersWalk is a walk whose projects read the inventory.
type peersWalk struct {
	*walk
	states string // the folder of states
	muster string // the address of the API
}

func newPeersWalk(t *testing.T) *peersWalk {
	t.Helper()
	tofutest.Provider(t)
	w := &peersWalk{walk: &walk{T: t, began: fleet.InstantOf(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))}}
	w.clock.Store(int64(w.began))
	w.world, w.cluster = outside.New(w.now), simulated.New(simulated.Options{Delays: simulated.RealisticDelays()})
	e, err := engine.Open(t.Context(), engine.Options{Journal: memory.New(), Now: w.now, Driver: w.cluster, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	w.engine = e
	calls, err := api.New(api.Options{Engine: decider{e, metrics.New(e.Read)}, Now: w.wall, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(calls.Stop)
	at := httptest.NewServer(calls.Handler())
	t.Cleanup(at.Close)
	w.muster = at.URL
	projects, folder := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(projects, "peers"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(projects, "peers", "main.tf"), []byte(peersProject), 0o600); err != nil {
		t.Fatal(err)
	}
	w.states = filepath.Join(folder, "states")
	p := newProjects(t, tofu.Options{Source: tofu.NewSource(projects, "", ""), Folder: folder, Now: w.wall})
	by := provision.BySteps{fleet.StepDependencies: provision.Dependents{Read: e.Read, Runners: map[string]provision.Knower{tofu.Word: p}}}
	for _, step := range []fleet.Step{fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices, fleet.StepHealth} {
		by[step] = w.world
	}
	w.open(by, p, provision.Options{Clouds: map[string]provision.Cloud{"azure": azureOf(w.world)}})
	w.world.SetCloud("s1", "east", fleet.CloudCount{Meter: "cores", Limit: 10_000})
	return w
}

// blueprint is a version of that of clusters with a project that reads the inventory.
func (w *peersWalk) blueprint(version int) {
	w.Helper()
	takes := map[fleet.Step]time.Duration{fleet.StepScaleSets: time.Minute, fleet.StepJoin: time.Minute, fleet.StepValidation: time.Minute, fleet.StepServices: time.Minute}
	w.do(core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "nd", Version: version, Checkin: fleet.CheckinInventory, Runner: tofu.Word, Projects: []string{"peers"},
		Meters: []fleet.Meter{{Meter: "cores", PerNode: 96}}, Takes: takes, Mode: fleet.Enforce,
	}})
}

// record is of a cluster of some nodes.
func (w *peersWalk) record(name string, nodes int) fleet.ClusterRecord {
	return fleet.ClusterRecord{
		Name: name, Provider: "azure", Subscription: "s1", Region: "east", GPU: "h200", GPUsPerNode: 8, Priority: fleet.Mid, Blueprint: "nd",
		Islands: []fleet.RecordIsland{{Name: "a", Nodes: nodes}}, Variables: map[string]string{"muster": w.muster},
	}
}

// knows says whether the state of a cluster's project holds what it was told of another.
func (w *peersWalk) knows(cluster, of string) bool {
	data, _ := os.ReadFile(filepath.Join(w.states, cluster, "peers.tfstate"))
	return strings.Contains(string(data), of)
}

// Nothing is checked in, and no person is asked: a real program reads the inventory by a data source of
// a provider, and applies what it says. A cluster that comes later is known to the projects of the
// first one only once these are applied anew; until then it waits, and says for which project.
func TestProjectsReadTheInventory(t *testing.T) {
	w := newPeersWalk(t)
	w.blueprint(1)
	w.do(core.PlanCluster{Record: w.record("puma", 2)})
	produced := func(cluster string) func(*fleet.State) bool {
		return func(s *fleet.State) bool { return s.Life(cluster).Course.Produced != 0 }
	}
	w.until("puma in production", produced("puma"))
	w.do(core.PlanCluster{Record: w.record("wolf", 3)})
	w.until("wolf waits until puma's project knows it", func(s *fleet.State) bool {
		v := core.Look(s, s.Life("wolf"), w.now())
		is := v.Waits()
		return is != nil && is.Type == fleet.DependenciesSatisfied && strings.Contains(is.Message, "puma (project peers is not as it was applied")
	})
	if !w.knows("wolf", "puma in east with 2 nodes of h200") || w.knows("puma", "wolf") {
		t.Errorf("wolf knows puma: %v; puma knows wolf: %v", w.knows("wolf", "puma in east with 2 nodes of h200"), w.knows("puma", "wolf"))
	}
	w.blueprint(2)
	w.do(core.ChangeCluster{Record: w.record("puma", 2), Version: 2}) // a person has its projects applied anew
	w.until("wolf in production", produced("wolf"))
	if !w.knows("puma", "wolf in east with 3 nodes of h200") {
		t.Error("puma does not know wolf")
	}
	w.engine.Read(func(s *fleet.State) {
		if n := len(s.Life("wolf").Touches); n != 1 {
			t.Errorf("wolf took %d touches, and its entry is one", n)
		}
	})
	t.Logf("wolf in production %s after puma's entry", w.now().Sub(w.began).Round(time.Second))
}
