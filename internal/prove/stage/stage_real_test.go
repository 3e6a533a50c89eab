package kube

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/prove/scenario"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// storiesOnARealCluster are told on a real control plane too: those in testdata/stories,
// and these of scenarios/, each about another rule.
var storiesOnARealCluster = []string{
	"backing-survives-a-short-dip",
	"borrowing-guest-in-the-wrong-place-moves-home",
	"eviction-survives-a-restart",
	"eviction-uses-the-whole-grace",
	"failure-infra-own-or-not-known",
	"flex-elastic-pools-settle-once",
	"mending-stays-in-the-island",
	"mending-survives-a-restart",
	"order-known-run-times-backfill",
	"placing-gang-in-one-rack",
	"pools-elastic-grow-shrink-and-join-by-rank",
	"quota-more-of-it-ends-borrowing",
	"quota-transfer-takes-no-work-down",
	"reason-each-code-in-quota",
}

// TestScenariosOnARealCluster tells story files on the simulated cluster and then on a
// real control plane, with the same expectations; and what runs on the real one must
// always be what the state says. MUSTER_STORIES names other files, or folders.
func TestScenariosOnARealCluster(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range storiesOnARealCluster {
		files = append(files, "../../../scenarios/"+name+".yaml")
	}
	if text := os.Getenv("MUSTER_STORIES"); text != "" {
		files = nil
		for _, name := range strings.Fields(text) {
			inside, err := filepath.Glob(name + "/*.yaml")
			if err != nil {
				t.Fatal(err)
			}
			if len(inside) == 0 {
				inside = []string{name}
			}
			files = append(files, inside...)
		}
	}
	w := &world{t: t, c: controlPlane(t), ctx: t.Context()}
	w.clear()
	w.manifest("../../../deploy/kubernetes/admission.yaml")
	w.gateWorks()
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
	if report, err := scenario.Run(t.Context(), f); err != nil || !report.Passed() {
		t.Fatalf("on the simulated cluster: %v %v", report.Failures, err)
	}
	w := &world{t: t, c: controlPlane(t), ctx: t.Context()}
	people := filepath.Join(t.TempDir(), "people")
	if err := os.WriteFile(people, w.c.KubeconfigOf(w.c.Token), 0o600); err != nil {
		t.Fatal(err)
	}
	th := &Theatre{People: people, Agent: w.entitled(fleet.Enforce), Patience: patient, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	if err := th.Open(); err != nil {
		t.Fatal(err)
	}
	var s *Stage
	t.Cleanup(func() {
		if s == nil {
			return
		}
		if err := s.Clear(context.Background()); err != nil {
			t.Error(err)
		}
	})
	report, err := scenario.RunOn(t.Context(), f, func(set scenario.Setting) (scenario.Stage, error) {
		s, err = th.Stage(f.Fleet.Clusters[0].Name, set.Now, set.Runtime)
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range report.Failures {
		t.Error(wrong)
	}
	if t.Failed() {
		for _, line := range s.Says() {
			t.Log(line)
		}
	}
	for _, p := range s.agent.Problems() {
		if strings.HasPrefix(p.Object, "node/") {
			t.Errorf("a node is not understood: %s", p)
		}
	}
	t.Logf("%d expectations, %d pods made, %.1f s", report.Expectations, s.made, report.Took.Seconds())
}
