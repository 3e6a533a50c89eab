package kube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A fleet of 1,000 nodes of 8 GPUs in islands of 50.
const (
	manyIslands = 20
	manyEach    = 50
	manyGPUs    = manyIslands * manyEach * 8
)

// TestAThousandNodes lets one cluster of 1,000 nodes live through what a fleet does.
// There is a gang in one island, work that is not Muster's, and a pool that fills what is
// left. Quota takes its room back within the grace, borrows and gives back, and a node fails
// under a gang. At the end a second Muster, which only watches, sees the same.
func TestAThousandNodes(t *testing.T) {
	w := newWorld(t, fleet.Enforce)
	w.admission()
	began := time.Now()
	w.nodes(manyIslands, manyEach)
	for _, team := range []string{"oak", "ash", "elm"} {
		w.enrolled(team)
	}
	w.namespace("stray", 0)
	w.eventually(patient, "the nodes", func() string { return w.figures(manyGPUs, manyGPUs) })
	t.Logf("1,000 nodes are made, Ready and known after %s", time.Since(began).Round(time.Millisecond))
	for team, gpus := range map[string]int{"oak": 480, "ash": 160} {
		w.do(core.CreateQuota{Path: "research/" + team, Access: fleet.Access{Namespaces: []string{"tiger/" + team}}})
		w.do(core.SetGrant{Quota: "research/" + team, Partition: "tiger/h200", GPUs: gpus})
	}
	w.gateWorks()
	step := func(name string, does func()) {
		if began := time.Now(); !t.Failed() {
			does()
			w.sound()
			t.Logf("%s: %s", name, time.Since(began).Round(100*time.Millisecond))
		}
	}
	step("a gang of 40 in one island", w.gangOfForty)
	step("work that is not Muster's is counted where it stands", w.strangersAreCounted)
	step("a pool fills what is left", w.poolFills)
	step("a sibling's quota is borrowed, and taken back", w.borrowedAndTakenBack)
	step("a node fails under the gang", w.nodeFailsUnderTheGang)
	step("who only watches sees the same", w.watchersSeeTheSame)
}

// enrolled makes a namespace whose pods wait for Muster.
func (w *world) enrolled(name string) {
	w.t.Helper()
	w.namespace(name, 0)
	w.call(http.MethodPatch, "/api/v1/namespaces/"+name, kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"muster.dev/enrolled": "true"}}}, nil)
}

// runningOf lists the nodes on which pods of one name run, and asks again later where
// there are not so many.
func (w *world) runningOf(namespace, prefix string, want int) (nodes []string) {
	w.t.Helper()
	w.eventually(patient, prefix+" runs", func() string {
		nodes = nil
		for _, p := range w.pods(namespace) {
			if strings.HasPrefix(p.Metadata.Name, prefix) && p.Status.Phase == "Running" && p.Metadata.DeletionTimestamp == "" {
				nodes = append(nodes, p.Spec.NodeName)
			}
		}
		if len(nodes) != want {
			time.Sleep(time.Second) // looking at many pods costs the API server something
			return fmt.Sprintf("%d of %d pods run", len(nodes), want)
		}
		return ""
	})
	slices.Sort(nodes)
	return nodes
}

func islandsOf(nodes []string) (islands []string) {
	for _, n := range nodes {
		island, _, _ := strings.Cut(n, "-")
		islands = append(islands, island)
	}
	slices.Sort(islands)
	return slices.Compact(islands)
}

func (w *world) gangOfForty() {
	w.job(job("oak", "train", 40, "research.oak", leavesAfter, "2s"))
	on := w.runningOf("oak", "train", 40)
	if islands := islandsOf(on); len(islands) != 1 || len(slices.Compact(slices.Clone(on))) != 40 {
		w.t.Errorf("the gang stands on %d nodes of the islands %v, want 40 of one", len(slices.Compact(on)), islands)
	}
}

func (w *world) strangersAreCounted() {
	for i := range 5 {
		w.pod(kubetest.Pod("stray", fmt.Sprintf("burn-in-%d", i), 2))
	}
	on := w.runningOf("stray", "burn-in", 5)
	nodes := len(slices.Compact(on))
	w.eventually(patient, "less to promise", func() (missing string) {
		w.read(func(s *fleet.State) {
			if p := s.Partition("tiger/h200"); p.Promisable != 1000-nodes || p.Tally().Usable != manyGPUs-5*2 {
				missing = fmt.Sprintf("%d nodes promisable, %d GPUs usable, strangers on %d nodes", p.Promisable, p.Tally().Usable, nodes)
			}
		})
		return missing
	})
	w.call(http.MethodDelete, "/api/v1/namespaces/stray/pods?gracePeriodSeconds=0", nil, nil)
	w.eventually(patient, "all is Muster's again", func() (missing string) {
		w.read(func(s *fleet.State) {
			if u := s.Partition("tiger/h200").Tally().Usable; u != manyGPUs {
				missing = fmt.Sprintf("%d GPUs usable", u)
			}
		})
		return missing
	})
}

// poolFills fills the fleet with an elastic pool of whole nodes, on flex.
func (w *world) poolFills() {
	w.call(http.MethodPost, "/apis/apps/v1/namespaces/elm/deployments", deployment("elm", "engines", 960, "flex",
		translate.AnnotationReplicas, "1..960", translate.AnnotationGrace, "60s", leavesAfter, "2s"), nil)
	w.runningOf("elm", "engines", 960)
}

// borrowedAndTakenBack lets oak borrow what ash leaves unused, on room that flex has
// to leave; then ash needs it.
func (w *world) borrowedAndTakenBack() {
	w.job(job("oak", "more", 40, "research.oak", leavesAfter, "2s", translate.AnnotationReach, "any"))
	w.runningOf("oak", "more", 40)
	w.runningOf("elm", "engines", 920)
	w.read(func(s *fleet.State) {
		if h := s.Workload("oak", "more").HeldAs(); h != fleet.HoldsBorrowing {
			w.t.Errorf("oak/more is %s, want borrowing", h)
		}
	})
	w.job(job("ash", "own", 20, "research.ash"))
	w.runningOf("ash", "own", 20)
	w.runningOf("oak", "more", 0)
	w.runningOf("oak", "train", 40)
	if s := w.state("oak", "more"); s != fleet.Pending { // its Job makes its pods again in minutes only
		w.t.Errorf("oak/more is %s, want pending", s)
	}
	w.runningOf("elm", "engines", 940)
}

// nodeFailsUnderTheGang takes a node from the gang: flex gives one of the island, and
// the other ranks stay.
func (w *world) nodeFailsUnderTheGang() {
	before := w.runningOf("oak", "train", 40)
	kept := w.uidOn("oak", before[1])
	w.condition(before[0], "Ready", "False", time.Now().Add(-10*time.Minute))
	w.eventually(patient, "the mended gang", func() string {
		if on := w.runningOf("oak", "train", 40); slices.Contains(on, before[0]) {
			time.Sleep(time.Second)
			return "it stands where it stood"
		}
		return ""
	})
	if w.uidOn("oak", before[1]) != kept {
		w.t.Error("a rank that was well was started anew")
	}
	if islands := islandsOf(w.runningOf("oak", "train", 40)); len(islands) != 1 {
		w.t.Errorf("the mended gang stands in %v", islands)
	}
}

// watchersSeeTheSame joins the cluster anew, only watching: it sees what the first
// Muster has made, and how much of it is on quota.
func (w *world) watchersSeeTheSame() {
	w.runningOf("elm", "engines", 939)
	w.stop()
	_ = w.engine.Close()
	w.journal = memory.New()
	w.open()
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	w.do(core.SetPolicy{Policy: policy})
	began := time.Now()
	w.join(fleet.Observe)
	<-w.agent.First()
	w.t.Logf("the first answer about 1,000 nodes and 1,000 pods is there after %s", time.Since(began).Round(time.Millisecond))
	w.eventually(patient, "what runs", func() (missing string) {
		w.read(func(s *fleet.State) {
			// The node that failed is young: to a Muster that comes new it is still being set up.
			held := 0
			for _, x := range s.Workloads {
				held += x.GPUs()
			}
			if f := view.CapacityOf(s).Fleet; f.Healthy != manyGPUs-8 || held != manyGPUs-8 {
				missing = fmt.Sprintf("installed %d, healthy %d, held %d, want %d", f.Installed, f.Healthy, held, manyGPUs-8)
			}
		})
		return missing
	})
}
