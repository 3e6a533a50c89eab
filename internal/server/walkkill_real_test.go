package server

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// buildkiteEnv is the address of Buildkite's stand-in, for a server that is a process of its own.
const buildkiteEnv = "MUSTER_TEST_BUILDKITE"

// hurt is a walk whose server is a process that is killed at random moments, while the outsides
// fail too.
type hurt struct {
	*realWalk
	cmd     *exec.Cmd
	draw    *rand.Rand
	said    map[string]bool // what people have done
	stopped int             // how often the API server was
}

func newHurt(t *testing.T, seed uint64) *hurt {
	t.Helper()
	h := &hurt{realWalk: newWalkParts(t), draw: rand.New(rand.NewPCG(seed, 20)), said: map[string]bool{}}
	h.listen, h.at = freeAddress(t), freeAddress(t)
	t.Setenv(buildkiteEnv, h.builds.URL)
	t.Cleanup(h.kill)
	h.up()
	h.began = time.Now()
	return h
}

// up starts the server and returns when it is ready.
func (h *hurt) up() {
	h.t.Helper()
	o := h.outside
	h.cmd = exec.Command("muster", "up", "--data", h.data, "--listen", h.listen, "--agents", h.at, "--checkin-repository", o.CheckinRepository, "--buildkite-token", o.BuildkiteToken,
		"--tofu-projects", o.Tofu.Projects, "--scale-sets", o.ScaleSets.Templates, "--scale-sets-kubeconfig", o.ScaleSets.Kubeconfig)
	pipe, err := h.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(filepath.Dir(o.BuildkiteToken), "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	h.cmd.Stderr = log
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), ready) {
			go func() { _, _ = io.Copy(io.Discard, pipe) }()
			return
		}
	}
	words, _ := os.ReadFile(log.Name())
	h.t.Fatalf("the server does not start again: %s", words)
}

// kill is kill -9.
func (h *hurt) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// life is how a cluster stands.
func (h *hurt) life(cluster string) *musterv1.GetClusterResponse {
	h.t.Helper()
	is, err := client.New(client.Options{Address: h.listen}).Buildout.GetCluster(h.c.ctx, &musterv1.GetClusterRequest{Cluster: cluster})
	if err != nil {
		h.t.Fatal(err)
	}
	return is
}

// produced says whether both clusters are in production. One that is not says why.
func (h *hurt) produced() bool {
	all := true
	for _, cluster := range []string{"lynx", "puma"} {
		if h.life(cluster).GetCluster().GetPhase() != "InProduction" {
			all = false
			if says := h.muster("cluster", "why", cluster); !strings.Contains(says, "waits for") {
				h.t.Errorf("it is not said what %s waits for: %s", cluster, says)
			}
		}
	}
	return all
}

// people do what is theirs, each once: quota that is there, the merge, agents of clusters that stand.
func (h *hurt) people() {
	h.t.Helper()
	for _, cluster := range []string{"lynx", "puma"} {
		h.once("quota of "+cluster, func() bool {
			if !strings.Contains(h.muster("cluster", "why", cluster), "does not count quota") {
				return false
			}
			h.muster("cluster", "quota", cluster)
			return true
		})
	}
	h.once("merge", func() bool {
		out, err := exec.CommandContext(h.c.ctx, "git", "-C", h.git.bare, "branch", "--list", "muster/*").Output()
		if err != nil || len(out) == 0 {
			return false
		}
		h.git.merge(strings.TrimSpace(string(out)))
		return true
	})
	for name, c := range map[string]*plane{"lynx": h.lynx, "puma": h.puma} {
		h.once("agent of "+name, func() bool {
			if h.life(name).GetCluster().GetPhase() != "Provisioned" || c.Process("kube-apiserver") == 0 {
				return false
			}
			h.agent(name, "--manage", c.agentOfBuilt())
			return true
		})
	}
}

func (h *hurt) once(what string, do func() bool) {
	if !h.said[what] && do() {
		h.said[what] = true
		h.told(what)
	}
}

// pause is a random while.
func (h *hurt) pause(most time.Duration) { time.Sleep(time.Duration(h.draw.Int64N(int64(most)))) }

// hurtOutside lets an outside fail for a while: the API server, or Buildkite.
func (h *hurt) hurtOutside() {
	h.t.Helper()
	h.builds.answer([]int{0, 0, http.StatusTooManyRequests, http.StatusInternalServerError}[h.draw.IntN(4)])
	if h.draw.IntN(4) > 0 {
		return
	}
	h.stopped++
	h.lynx.KillPart("kube-apiserver")
	h.pause(3 * time.Second)
	if err := h.lynx.StartPart("kube-apiserver"); err != nil {
		h.t.Fatal(err)
	}
	if err := h.lynx.Ready(h.c.ctx); err != nil {
		h.t.Fatal(err)
	}
}

// The server is killed at random moments while it builds two clusters on real parts. The API server
// is killed too, and Buildkite answers 429 or 500. Nothing is done twice, nothing is lost, and after
// each kill it is said what is waited for. MUSTER_KILLS says how often (10), MUSTER_SEED replays moments.
func TestKilledWhileItBuildsOnARealAPIServer(t *testing.T) {
	kills, seed := int(fromEnv(t, "MUSTER_KILLS", 10)), uint64(fromEnv(t, "MUSTER_SEED", time.Now().UnixNano()%1e9))
	h := newHurt(t, seed)
	go h.azure.operate(h.c.ctx, h.lynx, map[string]*plane{"lynx": h.lynx, "puma": h.puma})
	h.plan()
	killed := 0
	for ; killed < kills && !h.produced(); killed++ {
		h.people()
		h.pause(6 * time.Second)
		h.kill()
		h.hurtOutside()
		h.up()
	}
	h.builds.answer(0)
	for end := time.Now().Add(2 * inTime); !h.produced(); time.Sleep(time.Second) {
		h.people()
		if time.Now().After(end) {
			t.Fatalf("not in production: %s%s", h.muster("cluster", "why", "lynx"), h.muster("cluster", "why", "puma"))
		}
	}
	t.Logf("killed %d times, the API server %d times (seed %d): in production %s after the entry", killed, h.stopped, seed, time.Since(h.began).Round(time.Second))
	h.nothingTwice()
}

// nothingTwice holds what stands outside, each once.
func (h *hurt) nothingTwice() {
	h.t.Helper()
	if n := h.builds.created(); n != 1 {
		h.t.Errorf("%d builds were created for one cluster", n)
	}
	if n := h.lynx.sets(); n != 3 {
		h.t.Errorf("%d scale sets were made for three islands", n)
	}
	for _, x := range []struct {
		c     *plane
		nodes int
	}{{h.lynx, 4}, {h.puma, 2}} {
		var jobs struct{ Items []kubetest.JSON }
		if err := x.c.Call(h.c.ctx, http.MethodGet, "/apis/batch/v1/namespaces/muster-validation/jobs", nil, &jobs); err != nil || len(jobs.Items) != x.nodes {
			h.t.Errorf("%d Jobs validate %d nodes: %v", len(jobs.Items), x.nodes, err)
		}
	}
	for cluster, touches := range map[string]int{"lynx": 3, "puma": 2} {
		if got := h.life(cluster).GetTouches(); len(got) != touches {
			h.t.Errorf("%s took the touches %v", cluster, got)
		}
	}
}
