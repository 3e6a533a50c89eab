package kube

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// scale is what a person does: kubectl scale deployment.
func (w *world) scale(namespace, name string, replicas int) {
	w.t.Helper()
	w.call(http.MethodPatch, "/apis/apps/v1/namespaces/"+namespace+"/deployments/"+name, kubetest.JSON{"spec": kubetest.JSON{"replicas": replicas}}, nil)
}

// most is the most replicas that Muster has a workload's only pool for; 0: it has ended.
func (w *world) most(namespace, name string) (n int) {
	w.read(func(s *fleet.State) {
		if x := s.Workload(namespace, name); x != nil && !x.State.Ended() {
			n = x.Pools[0].Max
		}
	})
	return n
}

func (w *world) sized(namespace, name string, want int) func() string {
	return func() string {
		if n := w.most(namespace, name); n != want {
			return fmt.Sprintf("%s/%s has at most %d replicas, want %d%s", namespace, name, n, want, w.whyWaiting(namespace))
		}
		return w.runs(namespace, want)()
	}
}

// gated counts the pods of a namespace that wait for Muster.
func (w *world) gated(namespace string) (n int) {
	for _, p := range w.pods(namespace) {
		if p.waits() && p.Metadata.DeletionTimestamp == "" {
			n++
		}
	}
	return n
}

// TestADeploymentIsScaledByHand lets a person scale engines up, beyond what there is
// room for, down, to nothing and up again. What was submitted follows.
func TestADeploymentIsScaledByHand(t *testing.T) {
	w := managing(t, 1, 5, map[string]int{"elm": 0})
	w.call(http.MethodPost, "/apis/apps/v1/namespaces/elm/deployments", deployment("elm", "engines", 2, "flex"), nil)
	w.eventually(2*time.Minute, "two engines", w.sized("elm", "engines", 2))
	w.scale("elm", "engines", 4)
	w.eventually(2*time.Minute, "four engines", w.sized("elm", "engines", 4))

	w.scale("elm", "engines", 7)
	w.eventually(2*time.Minute, "five engines and two that wait", func() string {
		if n := w.most("elm", "engines"); n != 7 {
			return fmt.Sprintf("at most %d", n)
		}
		if n := w.gated("elm"); n != 2 {
			return fmt.Sprintf("%d wait%s", n, w.whyWaiting("elm"))
		}
		return w.runs("elm", 5)()
	})
	w.scale("elm", "engines", 3)
	w.eventually(2*time.Minute, "three engines again", w.sized("elm", "engines", 3))
	w.eventually(2*time.Minute, "two nodes free", func() (lacks string) {
		w.read(func(s *fleet.State) {
			if n := s.Workload("elm", "engines").GPUs(); n != 24 {
				lacks = fmt.Sprintf("%d GPUs are held", n)
			}
		})
		return lacks
	})
	w.oneCopyPerGPU()

	w.scale("elm", "engines", 0)
	w.eventually(2*time.Minute, "the end of all", func() string {
		if n := len(w.pods("elm")); n > 0 {
			return fmt.Sprint(n, " pods")
		}
		if s := w.state("elm", "engines"); s != fleet.Finished {
			return "it is " + string(s)
		}
		return ""
	})
	w.scale("elm", "engines", 2)
	w.eventually(2*time.Minute, "two engines anew", w.sized("elm", "engines", 2))
	w.sound()
}

// TestShrinkingRemovesThePodsThatMusterChose takes two of four engines away for a job:
// exactly those on its nodes go, they cost least to delete, and those that the
// Deployment makes instead wait.
func TestShrinkingRemovesThePodsThatMusterChose(t *testing.T) {
	w := managing(t, 1, 4, map[string]int{"oak": 16, "elm": 0})
	w.call(http.MethodPost, "/apis/apps/v1/namespaces/elm/deployments", deployment("elm", "engines", 4, "flex", leavesAfter, "5s", translate.AnnotationGrace, "60s"), nil)
	w.eventually(2*time.Minute, "four engines", w.sized("elm", "engines", 4))
	on := map[string]string{}
	for _, p := range w.pods("elm") {
		on[p.Spec.NodeName] = p.Metadata.UID
	}
	w.job(job("oak", "train", 2, "oak"))
	var chosen []string
	w.eventually(time.Minute, "two pods on their way out", func() string {
		chosen = nil
		for _, p := range w.pods("elm") {
			if p.Metadata.DeletionTimestamp != "" {
				chosen = append(chosen, p.Metadata.UID)
				if p.Metadata.Annotations[deletionCost] != leavesFirst {
					t.Errorf("pod %s leaves, and its deletion cost is %q", p.Metadata.Name, p.Metadata.Annotations[deletionCost])
				}
			}
		}
		if len(chosen) != 2 {
			return fmt.Sprintf("%d leave%s", len(chosen), w.whyWaiting("elm"))
		}
		return ""
	})
	w.eventually(2*time.Minute, "the job", w.runs("oak", 2))
	for _, node := range w.running("oak") {
		if !slices.Contains(chosen, on[node]) {
			t.Errorf("the job runs on %s, whose engine %s was not evicted", node, on[node])
		}
	}
	if n := len(w.running("elm")); n != 2 {
		t.Errorf("%d engines run, want 2", n)
	}
	w.eventually(time.Minute, "two that wait", func() string {
		if n := w.gated("elm"); n != 2 {
			return fmt.Sprintf("%d are gated%s", n, w.whyWaiting("elm"))
		}
		return ""
	})
	if n := w.most("elm", "engines"); n != 4 {
		t.Errorf("it has at most %d replicas, want 4: nobody scaled it", n)
	}
	w.oneCopyPerGPU()
	w.sound()
}
