package kube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// leavesAfter makes a pod take its time to leave.
const leavesAfter = "test.muster.dev/leaves-after"

// deployment is a Deployment of one-node pods.
func deployment(namespace, name string, replicas int, of string, notes ...string) kubetest.JSON {
	p := target(kubetest.Pod(namespace, name, 8), of, notes...)
	meta := p["metadata"].(kubetest.JSON)
	labels := meta["labels"].(kubetest.JSON)
	labels["app"] = name
	return kubetest.JSON{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": kubetest.JSON{"name": name, "namespace": namespace},
		"spec": kubetest.JSON{
			"replicas": replicas, "selector": kubetest.JSON{"matchLabels": kubetest.JSON{"app": name}},
			"template": kubetest.JSON{"metadata": kubetest.JSON{"labels": labels, "annotations": meta["annotations"]}, "spec": p["spec"]},
		},
	}
}

// TestAnElasticPoolGivesWayAndGrowsAgain shrinks a Deployment on flex by a Job in
// quota. The pods that the Deployment makes instead stay gated until there is room.
func TestAnElasticPoolGivesWayAndGrowsAgain(t *testing.T) {
	w := managing(t, 1, 4, map[string]int{"oak": 16, "elm": 0})
	w.call(http.MethodPost, "/apis/apps/v1/namespaces/elm/deployments", deployment("elm", "engines", 4, "flex", translate.AnnotationReplicas, "1..4"), nil)
	w.eventually(30*time.Second, "all engines", w.runs("elm", 4))
	w.job(job("oak", "train", 2, "oak"))
	w.eventually(30*time.Second, "the job beside two engines", func() string {
		if lacks := w.runs("oak", 2)(); lacks != "" {
			return lacks
		}
		return w.runs("elm", 2)()
	})
	w.eventually(10*time.Second, "two gated replacements", func() string {
		gated := 0
		for _, p := range w.pods("elm") {
			if p.waits() {
				gated++
			}
		}
		if gated != 2 {
			return fmt.Sprintf("%d are gated%s", gated, w.whyWaiting("elm"))
		}
		return ""
	})
	w.oneCopyPerGPU()
	w.finish("oak", "train")
	w.eventually(30*time.Second, "all engines again", w.runs("elm", 4))
	w.sound()
}

// oneCopyPerGPU asks that no node carries more than it has.
func (w *world) oneCopyPerGPU() {
	w.t.Helper()
	var list struct{ Items []shown }
	w.call(http.MethodGet, "/api/v1/pods", nil, &list)
	on := map[string]int{}
	for _, p := range list.Items {
		if p.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] == "" {
			continue // a launcher, or a leader
		}
		if p.Status.Phase == "Running" || p.Status.Phase == "Pending" && p.Spec.NodeName != "" {
			on[p.Spec.NodeName]++
		}
	}
	for node, n := range on {
		if n > 1 {
			w.t.Errorf("%d pods of a whole node each are on %s", n, node)
		}
	}
}

// TestAVictimUsesItsGraceAndIsTold evicts a pod on flex that takes its time. Who
// needs the room waits for it, and the victim's pod says who that is.
func TestAVictimUsesItsGraceAndIsTold(t *testing.T) {
	w := managing(t, 1, 2, map[string]int{"oak": 16, "elm": 0})
	w.pod(target(kubetest.Pod("elm", "slow", 8), "flex", leavesAfter, "4s", translate.AnnotationGrace, "20s"))
	w.eventually(30*time.Second, "the pod on flex", w.runs("elm", 1))
	w.job(job("oak", "train", 2, "oak"))
	w.eventually(20*time.Second, "a word to the victim", func() string { return w.told("elm", "slow", "Evicted") })
	if n := len(w.running("oak")); n > 0 {
		t.Errorf("%d pods of the job run while the victim leaves", n)
	}
	for _, p := range w.pods("elm") {
		for _, c := range p.Status.Conditions {
			if c.Type == translate.Condition && !strings.Contains(c.Message, "oak/train") {
				t.Errorf("the victim is told %q, which does not name oak/train", c.Message)
			}
		}
	}
	w.eventually(30*time.Second, "the job", w.runs("oak", 2))
	w.oneCopyPerGPU()
	var events struct {
		Items []struct{ Reason, Message string }
	}
	w.call(http.MethodGet, "/api/v1/namespaces/elm/events", nil, &events)
	if !slices.ContainsFunc(events.Items, func(e struct{ Reason, Message string }) bool {
		return e.Reason == "Evicted" && strings.Contains(e.Message, "oak/train")
	}) {
		t.Errorf("no event says who needed the room: %v", events.Items)
	}
	w.sound()
}

// TestAGangIsMendedWhenItsNodeFails takes a node from a gang. Its pod is slow to go;
// the rank starts again on another node of the island only when it has.
func TestAGangIsMendedWhenItsNodeFails(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 16})
	w.job(job("oak", "train", 2, "oak", leavesAfter, "4s"))
	w.eventually(30*time.Second, "the gang", w.runs("oak", 2))
	before := w.running("oak")
	kept := w.uidOn("oak", before[1])
	w.condition(before[0], "Ready", "False", time.Now().Add(-10*time.Minute))
	w.eventually(20*time.Second, "the node's quarantine", func() (missing string) {
		w.read(func(s *fleet.State) {
			if p, at := s.FindNode(before[0]); p.Nodes[at].State != fleet.Quarantined {
				missing = string(p.Nodes[at].State)
			}
		})
		return missing
	})
	old := w.uidOn("oak", before[0])
	w.eventually(30*time.Second, "the mended gang", func() string {
		on := w.running("oak")
		if old != "" && len(on) == 2 && !slices.Contains(on, before[0]) && w.uidOn("oak", before[0]) == old {
			t.Error("the rank runs again before its old pod is gone")
		}
		if len(on) != 2 || slices.Contains(on, before[0]) {
			return fmt.Sprint("it runs on ", on, w.whyWaiting("oak"))
		}
		return ""
	})
	if w.uidOn("oak", before[1]) != kept {
		t.Error("the rank that was well was started anew")
	}
	if s := w.state("oak", "train"); s != fleet.RunningW {
		t.Errorf("the gang is %s", s)
	}
	w.sound()
}

// uidOn is the identity of the pod of a namespace that is on a node.
func (w *world) uidOn(namespace, node string) string {
	for _, p := range w.pods(namespace) {
		if p.Spec.NodeName == node {
			return p.Metadata.UID
		}
	}
	return ""
}

// TestWhatOthersHoldIsNotPromised lets a pod that is not Muster's take a part of a
// node: a gang that needs all nodes waits, and starts when it has gone.
func TestWhatOthersHoldIsNotPromised(t *testing.T) {
	w := managing(t, 1, 2, map[string]int{"oak": 16, "stray": 0})
	w.pod(kubetest.Pod("stray", "burn-in", 1))
	w.eventually(20*time.Second, "the pod that is not Muster's", w.runs("stray", 1))
	w.eventually(20*time.Second, "less to promise", func() (missing string) {
		w.read(func(s *fleet.State) {
			if p := s.Partition("tiger/h200"); p.Promisable != 1 || p.Tally().Usable != 15 {
				missing = fmt.Sprintf("%d nodes promisable, %d GPUs usable", p.Promisable, p.Tally().Usable)
			}
		})
		return missing
	})
	w.job(job("oak", "train", 2, "oak"))
	w.eventually(20*time.Second, "a word to the gang", func() string { return w.told("oak", "train", "QuotaUnbacked") })
	if n := len(w.running("oak")); n > 0 {
		t.Errorf("%d pods of the gang run beside it", n)
	}
	w.sound()
}
