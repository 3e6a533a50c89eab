package stage

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/prove/scenario"
)

// storiesOnARealCluster are played on a real control plane too: those in testdata/stories,
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

// TestScenariosOnARealCluster plays story files on the simulated cluster and then on a
// real control plane, with the same expectations; what runs on the real one must always
// be what the state says. MUSTER_STORIES names other files, or folders.
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
	c := controlPlane(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { playFile(t, c, file) })
	}
}

func playFile(t *testing.T, c *kubetest.Cluster, file string) {
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
	cluster := &Cluster{
		Patience: 15 * time.Minute, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Admin: kubeconfig(t, "admin", c.KubeconfigOf(c.Token)), Agent: kubeconfig(t, "agent", kubetest.KubeconfigTo(c.URL, "agent")),
	}
	if err := cluster.Open(); err != nil {
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
		s, err = cluster.Stage(f.Fleet.Clusters[0].Name, set.Now, set.Runtime)
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range report.Failures {
		t.Error(wrong)
	}
	if t.Failed() {
		for _, line := range s.Report() {
			t.Log(line)
		}
	}
	for _, p := range s.reconciler.Problems() {
		if strings.HasPrefix(p.Object, "node/") {
			t.Errorf("a node is not understood: %s", p)
		}
	}
	t.Logf("%d expectations, %d pods made, %.1f s", report.Expectations, s.created.count, report.Took.Seconds())
}

// controlPlane starts a control plane where pods with a target wait, and on which user
// agent has the rights of an agent that manages; it skips the test where none was asked for.
func controlPlane(t *testing.T) *kubetest.Cluster {
	t.Helper()
	if os.Getenv(kubetest.Wanted) == "" {
		t.Skip("it takes minutes; make controlplane-test runs it, or " + kubetest.Wanted + "=1")
	}
	c, err := kubetest.Start(t.Context())
	if kubetest.Skips(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	err = errors.Join(c.Create(t.Context(), admission(t)), c.Create(t.Context(), "../../../deploy/kubernetes/rbac.yaml"))
	roles := []string{"muster-observe", "muster-manage"}
	if !yields() {
		roles = append(roles, "muster-bind")
	}
	for _, role := range roles {
		err = errors.Join(err, c.Grant(t.Context(), "agent", role))
	}
	admin := &Cluster{Admin: kubeconfig(t, "admin", c.KubeconfigOf(c.Token))}
	if err = errors.Join(err, admin.Open()); err == nil {
		err = admin.CheckGates(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// yields says that kube-scheduler binds the pods of the stories, as MUSTER_BIND=scheduler asks.
func yields() bool { return os.Getenv("MUSTER_BIND") == "scheduler" }

// admission is the file of the policies by which pods wait for Muster.
func admission(t *testing.T) string {
	t.Helper()
	const file = "../../../deploy/kubernetes/admission.yaml"
	if !yields() {
		return file
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "admission.yaml")
	if err := os.WriteFile(to, bytes.ReplaceAll(data, []byte("'direct' == 'direct'"), []byte("'scheduler' == 'direct'")), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// kubeconfig writes a kubeconfig to a file of the test.
func kubeconfig(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
