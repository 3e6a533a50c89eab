package server

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// TestManyRealNodesAreWatched joins a cluster of as many nodes as MUSTER_NODES says, and
// twice as many pods, each as large as real ones, to a Muster in a process of its own. It
// asks how much memory that takes, until the first full answer and while nodes change. When it comes is told, not judged.
func TestManyRealNodesAreWatched(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv("MUSTER_NODES"))
	if err != nil {
		t.Skip("MUSTER_NODES=10000 measures what a watch of so many nodes takes")
	}
	const most = 500 << 10 // KiB
	c := controlPlane(t)
	for _, part := range []string{"kwok", "kube-scheduler", "kube-controller-manager"} { // nothing happens but what this test does
		c.KillPart(part)
	}
	c.fill(many)
	dir := t.TempDir()
	program := filepath.Join(dir, "muster")
	if out, err := exec.CommandContext(c.ctx, "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, start := range []string{"the first time", "again, on the same data"} {
		began := time.Now()
		pid, stop := c.observes(program, filepath.Join(dir, "data"))
		t.Logf("%s: %d nodes, %d pods: first full answer after %.1f s; memory %d MiB, %d MiB at most", start, many, 2*many, time.Since(began).Seconds(),
			memoryOf(t, pid, "VmRSS")>>10, memoryOf(t, pid, "VmHWM")>>10)
		for round := range 20 {
			c.beatHearts(round, many/20)
		}
		now, peak := memoryOf(t, pid, "VmRSS"), memoryOf(t, pid, "VmHWM")
		t.Logf("after every node has changed once: memory %d MiB, %d MiB at most", now>>10, peak>>10)
		if many >= 10_000 && peak > most {
			t.Errorf("it took %d MiB, want %d at most", peak>>10, most>>10)
		}
		stop()
	}
}

// observes runs the program until it has given its first full answer.
func (c *plane) observes(program, data string) (pid int, stop func()) {
	c.t.Helper()
	cmd := exec.CommandContext(c.ctx, program, "join", "--observe", "--kubeconfig", c.Kubeconfig, "--name", "tiger", "--data", data, "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
	c.t.Cleanup(stop)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "first full answer") {
			go func() {
				for lines.Scan() { // whatever else it says
					c.t.Log(lines.Text())
				}
			}()
			return cmd.Process.Pid, stop
		}
	}
	c.t.Fatal("it has ended without an answer")
	return 0, stop
}

// fill makes nodes, and two pods on each.
func (c *plane) fill(many int) {
	c.t.Helper()
	began := time.Now()
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace("oak"))
	const batch = 500
	for at := 0; at < many; at += batch {
		var nodes, pods []kubetest.JSON
		for i := at; i < min(at+batch, many); i++ {
			nodes = append(nodes, largeNode(i))
			pods = append(pods, largePod(i, 0), largePod(i, 1))
		}
		for path, list := range map[string][]kubetest.JSON{"/api/v1/nodes": nodes, "/api/v1/namespaces/oak/pods": pods} {
			if err := c.CreateAll(c.ctx, path, list); err != nil {
				c.t.Fatal(err)
			}
		}
		c.each(nodes, func(n kubetest.JSON) error { // the API server marks what is new until a controller has seen to it
			name := n["metadata"].(kubetest.JSON)["name"].(string)
			return c.Call(c.ctx, http.MethodPatch, "/api/v1/nodes/"+name, kubetest.JSON{"spec": kubetest.JSON{"taints": nil}}, nil)
		})
	}
	c.t.Logf("%d nodes and %d pods made in %s", many, 2*many, time.Since(began).Round(time.Second))
}

// each does something to objects, several at one time.
func (c *plane) each(list []kubetest.JSON, does func(kubetest.JSON) error) {
	c.t.Helper()
	todo := make(chan kubetest.JSON)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for of := range todo {
				if err := does(of); err != nil {
					c.t.Error(err)
				}
			}
		})
	}
	for _, of := range list {
		todo <- of
	}
	close(todo)
	all.Wait()
}

// largeNode has what a node of a cloud has: conditions, labels, images.
func largeNode(i int) kubetest.JSON {
	n := kubetest.Node(fmt.Sprintf("node-%05d", i), "NVIDIA-H200", fmt.Sprintf("island-%03d", i/64), fmt.Sprintf("rack-%04d", i/8))
	meta, status := n["metadata"].(kubetest.JSON), n["status"].(kubetest.JSON)
	for k := range 60 {
		meta["labels"].(kubetest.JSON)[fmt.Sprintf("feature.node.example/label-%02d", k)] = fmt.Sprintf("value-%d", i)
	}
	status["conditions"] = conditionsAt(0)
	var images []kubetest.JSON
	for k := range 50 {
		images = append(images, kubetest.JSON{"names": []string{fmt.Sprintf("registry.example/image-%d-%d@sha256:%s", i, k, strings.Repeat("f", 64))}, "sizeBytes": 1 << 30})
	}
	status["images"] = images
	return n
}

func conditionsAt(round int) (conditions []kubetest.JSON) {
	at := time.Date(2026, 1, 1, 0, 0, round, 0, time.UTC).Format(time.RFC3339)
	for k := range 20 {
		kind, is := fmt.Sprintf("Condition%02d", k), "False"
		if k == 0 {
			kind, is = "Ready", "True"
		}
		conditions = append(conditions, kubetest.JSON{
			"type": kind, "status": is, "reason": "AllIsWell", "message": strings.Repeat("m", 60), "lastHeartbeatTime": at, "lastTransitionTime": "2026-01-01T00:00:00Z",
		})
	}
	return conditions
}

func largePod(i, k int) kubetest.JSON {
	p := kubetest.Pod("oak", fmt.Sprintf("pod-%05d-%d", i, k), 4)
	spec := p["spec"].(kubetest.JSON)
	spec["nodeName"] = fmt.Sprintf("node-%05d", i)
	spec["containers"].([]kubetest.JSON)[0]["args"] = []string{strings.Repeat("a", 3000)}
	return p
}

// beatHearts changes some nodes as their kubelets do.
func (c *plane) beatHearts(round, many int) {
	c.t.Helper()
	var nodes []kubetest.JSON
	for i := round * many; i < (round+1)*many; i++ {
		nodes = append(nodes, kubetest.JSON{"at": fmt.Sprintf("/api/v1/nodes/node-%05d/status", i)})
	}
	c.each(nodes, func(n kubetest.JSON) error {
		return c.Call(c.ctx, http.MethodPatch, n["at"].(string), kubetest.JSON{"status": kubetest.JSON{"conditions": conditionsAt(round + 1)}}, nil)
	})
}

// memoryOf is what a process takes of a kind, in KiB.
func memoryOf(t *testing.T, pid int, kind string) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("what a process takes is read from Linux's /proc: ", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, kind+":"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	t.Fatalf("no %s in %s", kind, data)
	return 0
}
