package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/prove/tofutest"
)

// buildkiteEnv is the address of Buildkite's stand-in, for a server that is a process of its own.
const buildkiteEnv = "MUSTER_TEST_BUILDKITE"

// hurt is a walk whose server is a process that is killed at random moments, while the outsides
// fail too.
type hurt struct {
	*realWalk
	cmd     *exec.Cmd
	draw    *rand.Rand
	said    map[string]bool          // what people have done
	stopped int                      // how often the API server was
	back    chan error               // says when the API server serves again; nil: it does
	spent   map[string]time.Duration // of rounds, by what was done
	turn    time.Time                // when Buildkite and Azure fail, or answer again
	failed  time.Duration            // how long they did in all
	things  string                   // the folder of what projects make
}

func newHurt(t *testing.T, seed uint64) *hurt {
	t.Helper()
	h := &hurt{realWalk: newWalkParts(t), draw: rand.New(rand.NewPCG(seed, 20)), said: map[string]bool{}, spent: map[string]time.Duration{}}
	h.listen, h.at = freeAddress(t), freeAddress(t)
	h.makeProjects()
	t.Setenv(buildkiteEnv, h.builds.URL)
	t.Setenv(azureEnv, h.azure.serve(t))
	h.azure.grant(100)
	t.Cleanup(h.kill)
	h.up()
	h.began = time.Now()
	return h
}

// makeProjects writes projects whose things stand outside of their states, each made in some seconds.
func (h *hurt) makeProjects() {
	h.t.Helper()
	tofutest.Provider(h.t)
	h.things, h.outside.Tofu.Projects = h.t.TempDir(), h.t.TempDir()
	for _, project := range []string{"network", "nodes"} {
		text := fmt.Sprintf(`terraform {
  required_providers { muster = { source = "muster.test/fleet/muster" } }
}
resource "muster_thing" "it" {
  file  = "%s/%s"
  text  = "of the record"
  takes = "2s"
}
`, h.things, project)
		folder := filepath.Join(h.outside.Tofu.Projects, project)
		if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "main.tf"), []byte(text), 0o600)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// up starts the server and returns when it is ready.
func (h *hurt) up() {
	h.t.Helper()
	o := h.outside
	h.cmd = exec.Command("muster", "up", "--data", h.data, "--listen", h.listen, "--agents", h.at, "--checkin-repository", o.CheckinRepository, "--buildkite-token", o.BuildkiteToken, "--azure",
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
	h.once("quota that is granted", func() bool {
		missing := strings.Contains(h.muster("cluster", "why", "lynx"), "284 cores")
		if missing {
			h.azure.grant(2000)
		}
		return missing
	})
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
			if h.life(name).GetCluster().GetPhase() != "Provisioned" {
				return false
			}
			h.whole()
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

// answer lets Buildkite and Azure have a status in every answer; 0: none of their own.
func (h *hurt) answer(status int) {
	h.builds.answer(status)
	h.azure.only.Store(int64(status))
}

// minutes lets Buildkite and Azure fail for one to three minutes, and then answer for one to two.
func (h *hurt) minutes() {
	if time.Now().Before(h.turn) {
		return
	}
	if h.azure.only.Load() != 0 {
		h.answer(0)
		h.turn = time.Now().Add(time.Minute + time.Duration(h.draw.Int64N(int64(time.Minute))))
		return
	}
	lasts := time.Minute + time.Duration(h.draw.Int64N(int64(2*time.Minute)))
	h.answer([]int{http.StatusTooManyRequests, http.StatusInternalServerError}[h.draw.IntN(2)])
	h.turn, h.failed = time.Now().Add(lasts), h.failed+lasts
}

// hurtOutside lets outsides fail for a while: the API server, Buildkite and Azure. The server starts
// again meanwhile.
func (h *hurt) hurtOutside() {
	h.t.Helper()
	h.minutes()
	if h.away() || h.draw.IntN(4) > 0 {
		return
	}
	h.stopped++
	h.lynx.KillPart("kube-apiserver")
	back, pause := make(chan error, 1), time.Duration(h.draw.Int64N(int64(3*time.Second)))
	h.back = back
	go func() {
		time.Sleep(pause)
		back <- errors.Join(h.lynx.StartPart("kube-apiserver"), h.lynx.Ready(h.c.ctx))
	}()
}

// away says whether the API server is away still.
func (h *hurt) away() bool {
	select {
	case err := <-h.back:
		if h.back = nil; err != nil {
			h.t.Fatal(err)
		}
	default:
	}
	return h.back != nil
}

// whole waits until the API server serves.
func (h *hurt) whole() {
	h.t.Helper()
	if h.back == nil {
		return
	}
	if err := <-h.back; err != nil {
		h.t.Fatal(err)
	}
	h.back = nil
}

// round lets the server run for a while, kills it, and starts it again.
func (h *hurt) round() {
	h.t.Helper()
	for _, part := range []struct {
		what string
		do   func()
	}{{"people", h.people}, {"running", func() { h.pause(6 * time.Second) }}, {"kill", h.kill}, {"outside", h.hurtOutside}, {"start", h.up}} {
		began := time.Now()
		part.do()
		h.spent[part.what] += time.Since(began)
	}
}

// The server is killed at random moments while it builds two clusters on real parts. The API server
// is killed too, and Buildkite and Azure answer 429 or 500 for minutes. Nothing is done twice, nothing is
// lost, and after each kill it is said what is waited for. MUSTER_KILLS says how often (10), MUSTER_SEED replays moments.
func TestKilledWhileItBuildsOnARealAPIServer(t *testing.T) {
	kills, seed := int(fromEnv(t, "MUSTER_KILLS", 10)), uint64(fromEnv(t, "MUSTER_SEED", time.Now().UnixNano()%1e9))
	h := newHurt(t, seed)
	go h.azure.operate(h.c.ctx, h.lynx, map[string]*plane{"lynx": h.lynx, "puma": h.puma})
	h.plan()
	killed := 0
	for ; killed < kills && !h.produced(); killed++ {
		h.round()
	}
	h.answer(0)
	for end := time.Now().Add(2 * inTime); !h.produced(); time.Sleep(time.Second) {
		h.people()
		if time.Now().After(end) {
			t.Fatalf("not in production: %s%s", h.muster("cluster", "why", "lynx"), h.muster("cluster", "why", "puma"))
		}
	}
	t.Logf("killed %d times, the API server %d times, Buildkite and Azure away for %s (seed %d): in production %s after the entry",
		killed, h.stopped, h.failed.Round(time.Second), seed, time.Since(h.began).Round(time.Second))
	t.Logf("of all rounds: %v", h.spent)
	h.whole()
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
	h.setsOnce()
	h.appliesOnce()
	for cluster, touches := range map[string]int{"lynx": 2, "puma": 1} {
		if got := h.life(cluster).GetTouches(); len(got) != touches {
			h.t.Errorf("%s took the touches %v", cluster, got)
		}
	}
}

// setsOnce holds that each island has one scale set, which was applied once: its spec is of one generation.
func (h *hurt) setsOnce() {
	h.t.Helper()
	var list struct{ Items []scaleSet }
	if err := h.lynx.Call(h.c.ctx, http.MethodGet, setsPath, nil, &list); err != nil {
		h.t.Fatal(err)
	}
	of := map[string]int{}
	for _, s := range list.Items {
		of[s.Metadata.Annotations["muster.dev/cluster"]+"/"+s.Metadata.Annotations["muster.dev/island"]]++
		if s.Metadata.Generation != 1 || !strings.Contains(s.Metadata.Annotations["muster.dev/operation"], ".scaleSets.g1.") {
			h.t.Errorf("scale set %s has generation %d, by operation %s", s.Metadata.Name, s.Metadata.Generation, s.Metadata.Annotations["muster.dev/operation"])
		}
	}
	if !maps.Equal(of, map[string]int{"lynx/a": 1, "lynx/b": 1, "puma/c": 1}) {
		h.t.Errorf("scale sets by island: %v", of)
	}
}

// appliesOnce holds that each project made its thing once, however often its apply was killed.
func (h *hurt) appliesOnce() {
	h.t.Helper()
	runs, _ := filepath.Glob(filepath.Join(h.data, "tofu", "runs", "puma.pipeline.*"))
	made, _ := os.ReadFile(filepath.Join(h.things, "made"))
	asked, _ := os.ReadFile(filepath.Join(h.things, "asked"))
	var things []string
	for line := range strings.Lines(string(made)) {
		name, _, _ := strings.Cut(line, " ")
		things = append(things, name)
	}
	if !slices.Equal(things, []string{"network", "nodes"}) {
		h.t.Errorf("the runs %v made %v", runs, things)
	}
	h.t.Logf("runs of two projects: %d; their applies that were killed: %d", len(runs), strings.Count(string(asked), "\n")-len(things))
}
