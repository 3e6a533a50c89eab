package kube

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/driver/simulated"
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/scenario"
)

// storiesOnARealCluster are told on a real control plane too.
var storiesOnARealCluster = []string{
	"eviction-uses-the-whole-grace",
}

// TestScenariosOnARealCluster plays story files on a real control plane, with the
// same expectations as on the simulated cluster; and what runs on the cluster must
// always be what the state says. MUSTER_STORIES names other files, or folders.
func TestScenariosOnARealCluster(t *testing.T) {
	files := make([]string, 0, len(storiesOnARealCluster))
	for _, name := range storiesOnARealCluster {
		files = append(files, "../../../scenarios/"+name+".yaml")
	}
	if text := os.Getenv("MUSTER_STORIES"); text != "" {
		files = strings.Fields(text)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { playFile(t, file) })
	}
}

func playFile(t *testing.T, file string) {
	f, err := scenario.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Fleet.Clusters) != 1 {
		t.Skip("the story has several clusters")
	}
	w := &world{t: t, c: controlPlane(t), ctx: t.Context()}
	w.clear()
	w.manifest("../../../deploy/kubernetes/admission.yaml")
	w.gateWorks()
	w.clearSpace("trial")
	s := &stage{
		t: t, c: w.c, config: w.entitled(fleet.Enforce), cluster: f.Fleet.Clusters[0].Name,
		crews: map[[2]string]*crew{}, born: map[string]fleet.Instant{}, known: map[string]bool{}, homes: map[string]bool{}, refused: map[[2]string]*core.Refusal{},
	}
	t.Cleanup(func() {
		if s.leave != nil {
			s.leave()
		}
		for _, p := range s.list(context.Background()) {
			_ = s.release(context.Background(), p, true)
		}
	})
	report, err := scenario.RunOn(t.Context(), f, func(set scenario.Setting) (scenario.Stage, error) {
		s.set, s.programs = set, simulated.New(simulated.Options{WholeGrace: true, Runtime: set.Runtime})
		return s, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range report.Failures {
		t.Error(wrong)
	}
	for _, p := range s.agent.Problems() {
		if strings.HasPrefix(p.Object, "node/") {
			t.Errorf("a node is not understood: %s", p)
		}
	}
	t.Logf("%d expectations, %d pods made, %.1f s", report.Expectations, s.made, report.Took.Seconds())

}
