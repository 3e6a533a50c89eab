package kube

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// startKueue starts Kueue's own controller on the control plane, or skips the test.
func (w *world) startKueue() {
	w.t.Helper()
	err := w.c.StartKueue(w.ctx)
	if errors.Is(err, kubetest.ErrNoKueue) {
		w.t.Skip(err)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if w.t.Failed() {
			lines := strings.Split(w.c.Log("kueue"), "\n")
			w.t.Log(strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
		w.c.KillPart("kueue")
		w.eventually(time.Minute, "nothing of Kueue's", w.withoutKueue)
	})
}

// queued is a Job of one pod of 8 GPUs that waits for Kueue.
func queued(namespace, name, queue string) kubetest.JSON {
	j := job(namespace, name, 1, "")
	j["metadata"].(kubetest.JSON)["labels"] = kubetest.JSON{"kueue.x-k8s.io/queue-name": queue}
	j["spec"].(kubetest.JSON)["suspend"] = true
	return j
}

// TestKueueAdmitsWhatIsBacked runs Kueue's own controller. It admits as many jobs as
// healthy nodes back, fewer after a node was lost, lends what a quota leaves unused to
// flex, and takes it back. Of one that waits both sides say why.
func TestKueueAdmitsWhatIsBacked(t *testing.T) {
	w := newKueueWorld(t)
	w.startKueue()
	w.flavor("fast", "NVIDIA-H200")
	w.nodes(1, 4)
	w.namespace("oak", 0)
	w.namespace("free", 0)
	w.clusterQueue("oak", "research", "fast", 32)
	w.eventually(time.Minute, "the nodes", func() string { return w.figures(32, 32) })
	w.restartWith(func(o *Options) { o.Kueue = true }, fleet.Observe)
	w.eventually(time.Minute, "the first writing", w.quotas(map[string]string{"oak": "32", kueue.FlexQueue: "0"}))
	w.condition("i0-n003", "Ready", "False", time.Now())
	w.eventually(time.Minute, "a node less", w.quotas(map[string]string{"oak": "24"}))

	w.localQueue("free", kueue.FlexQueue)
	w.job(queued("free", "guest", kueue.FlexQueue))
	w.eventually(time.Minute, "flex borrows what oak leaves unused", w.runs("free", 1))
	for i := range 4 {
		w.job(queued("oak", fmt.Sprintf("job-%d", i), "oak"))
	}
	w.eventually(time.Minute, "oak's own take it back", func() string {
		if lacks := w.runs("oak", 3)(); lacks != "" {
			return lacks
		}
		return w.runs("free", 0)()
	})
	w.eventually(time.Minute, "why the last waits, from both sides", func() string {
		waits := ""
		w.read(func(s *fleet.State) {
			for _, x := range s.Workloads {
				if x.State == fleet.Pending && x.Namespace == "oak" && x.Target == "research/oak" {
					waits = x.Name
				}
			}
		})
		list := w.agent.Said("oak", waits, "research/oak")
		if !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "Kueue keeps it in queue oak") }) {
			return fmt.Sprintf("of %q it says %v", waits, list)
		}
		t.Logf("of %s: %v", waits, list)
		return ""
	})

	// The node is back: it is flex until the dwell is over, and is promised to no quota.
	w.condition("i0-n003", "Ready", "True", time.Now())
	w.eventually(time.Minute, "flex has the node", w.quotas(map[string]string{"oak": "24", kueue.FlexQueue: "8"}))
	w.eventually(time.Minute, "the guest again", w.runs("free", 1))
	w.eventually(time.Minute, "oak as before", w.runs("oak", 3))
	w.sound()
}
