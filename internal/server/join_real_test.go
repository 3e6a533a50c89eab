package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// joiner is a new user with a bare kubeconfig, who follows docs/join.md.
type joiner struct {
	t    *testing.T
	c    *plane
	file string // the kubeconfig
	data string
	s    *server
	end  func()
}

// join is muster join, observe or manage.
func (j *joiner) join(manage bool) {
	j.t.Helper()
	j.s, j.end = serving(j.c.ctx, j.t, upOptions{
		Data: j.data, Join: &joinOptions{Kubeconfig: j.file, Name: "tiger", Manage: manage, Quotas: true},
	})
	j.t.Cleanup(j.end)
}

// kubectl is kubectl muster.
func (j *joiner) kubectl(args ...string) (code int, says string) {
	var out, trouble strings.Builder
	env := world()
	env.Out, env.Err, env.OutTerminal = &out, &trouble, false
	env.Getenv = func(string) string { return "" }
	code = plugin(j.c.ctx, env, append(args, "--kubeconfig", j.file, "--server", j.s.listener.Addr().String()))
	return code, out.String() + trouble.String()
}

// until asks until the answer says all that it should.
func (j *joiner) until(args []string, words ...string) {
	j.t.Helper()
	for end := time.Now().Add(inTime); ; time.Sleep(50 * time.Millisecond) {
		code, says := j.kubectl(args...)
		missing := ""
		for _, w := range words {
			if !strings.Contains(says, w) {
				missing = w
			}
		}
		if code == 0 && missing == "" {
			return
		}
		if time.Now().After(end) {
			j.t.Fatalf("kubectl muster %v ends with %d and does not say %q:\n%s", args, code, missing, says)
		}
	}
}

func (j *joiner) apply(file string) {
	j.t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		j.t.Fatal(err)
	}
	j.c.apply(string(data), false)
}

// TestJoinYourFirstCluster follows docs/join.md with the files that it names: from a bare
// kubeconfig to why a pod waits, watched and then managed.
func TestJoinYourFirstCluster(t *testing.T) {
	c := controlPlane(t)
	for i, rack := range []string{"r1", "r1", "r1", "r2", "r2", "r2"} {
		c.must(http.MethodPost, "/api/v1/nodes", kubetest.Node("node-"+string(rune('0'+i)), "NVIDIA-H200", "a", rack))
	}
	j := &joiner{t: t, c: c, file: filepath.Join(t.TempDir(), "kubeconfig"), data: filepath.Join(t.TempDir(), "watched")}
	if err := os.WriteFile(j.file, c.KubeconfigOf(c.Token), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	j.join(false)
	j.apply("examples/join/too-big.yaml")
	j.until([]string{"why", "too-big", "-n", "muster-try"}, "muster-try/too-big waits", "Cluster tiger is in mode observe", "GangTooLarge", "needs 16 GPUs on one node")
	t.Logf("watched: why a pod waits is known %s after muster join", time.Since(began).Round(100*time.Millisecond))
	j.until([]string{"fit", "--gang", "4x8", "-n", "muster-try"}, "flex")
	j.until([]string{"cluster", "shadow", "tiger"}, "mode observe")
	if code, says := j.kubectl("cluster", "mode", "tiger", "shadow", "--reason", "the test"); code != 0 {
		t.Errorf("to shadow: %s", says)
	}
	if code, says := j.kubectl("cluster", "mode", "tiger", "enforce", "--reason", "the test"); code == 0 || !strings.Contains(says, "--manage") {
		t.Errorf("who only watches could decide: %d %s", code, says)
	}
	j.end()
	c.must(http.MethodDelete, "/api/v1/namespaces/muster-try/pods/too-big", nil)

	for _, file := range []string{"admission.yaml", "marks.yaml"} {
		j.apply("deploy/kubernetes/" + file)
	}
	j.data = filepath.Join(t.TempDir(), "managed")
	began = time.Now()
	j.join(true)
	j.until([]string{"capacity"}, "tiger/h200")
	j.waitsFor(func(s *fleet.State) bool { p := s.Partition("tiger/h200"); return p != nil && p.Tally().Healthy == 48 })
	if code, says := j.kubectl("apply", "-f", "../../examples/join/quotas.yaml"); code != 0 {
		t.Fatalf("apply: %s", says)
	}
	c.gates()
	j.apply("examples/join/work.yaml")
	j.until([]string{"why", "first", "-n", "muster-try"}, "muster-try/first runs on tiger/h200/a", "guaranteed")
	j.apply("examples/join/more.yaml")
	j.until([]string{"why", "second", "-n", "muster-try"}, "muster-try/second waits for try", "QuotaFull", "target flex: starts at once")
	t.Logf("managed: why a pod waits is known %s after muster join", time.Since(began).Round(100*time.Millisecond))
	c.must(http.MethodDelete, "/apis/batch/v1/namespaces/muster-try/jobs/first?propagationPolicy=Background", nil)
	j.until([]string{"why", "second", "-n", "muster-try"}, "muster-try/second runs on tiger/h200/a")
}

// waitsFor waits until the state is so.
func (j *joiner) waitsFor(so func(*fleet.State) bool) {
	j.t.Helper()
	for end := time.Now().Add(inTime); ; time.Sleep(50 * time.Millisecond) {
		is := false
		j.s.engine.Read(func(st *fleet.State) { is = so(st) })
		if is {
			return
		}
		if time.Now().After(end) {
			j.t.Fatal("the nodes are not known in time")
		}
	}
}

// gates waits until the admission policy is in force, which the API server takes a moment for.
func (c *plane) gates() {
	c.t.Helper()
	p := kubetest.Pod("muster-try", "trial", 1)
	p["metadata"].(kubetest.JSON)["labels"] = kubetest.JSON{"muster.dev/target": "flex"}
	for end := time.Now().Add(inTime); ; time.Sleep(50 * time.Millisecond) {
		var made struct {
			Spec struct {
				SchedulerName   string
				SchedulingGates []kubetest.JSON
			}
		}
		err := c.Call(c.ctx, http.MethodPost, "/api/v1/namespaces/muster-try/pods?dryRun=All", p, &made)
		if err == nil && (len(made.Spec.SchedulingGates) > 0 || made.Spec.SchedulerName == "muster") {
			return
		}
		if time.Now().After(end) {
			c.t.Fatal("pods do not wait for Muster in time: ", err)
		}
	}
}
