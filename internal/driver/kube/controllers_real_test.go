package kube

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/driver/kube/kubetest"
	"github.com/muster-fleet/muster/internal/fleet"
)

// controller starts somebody's controller, or skips the test where it is not built.
func (w *world) controller(name string) {
	w.t.Helper()
	err := w.c.StartController(w.ctx, name)
	if errors.Is(err, kubetest.ErrAbsent) {
		w.t.Skipf("the controller of %s is not built; make controllers-test builds it", name)
	}
	if errors.Is(err, kubetest.ErrNoRoom) {
		w.t.Skip(err)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if w.t.Failed() {
			lines := strings.Split(w.c.Log(name), "\n")
			w.t.Log(strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
	})
}

// make creates an object of somebody's kind, below the path of its group and version.
func (w *world) make(group, plural string, object kubetest.JSON) {
	w.t.Helper()
	space := object["metadata"].(kubetest.JSON)["namespace"].(string)
	w.call(http.MethodPost, "/apis/"+group+"/namespaces/"+space+"/"+plural, object, nil)
}

// template is what a controller makes pods of: a whole node each, or none of its GPUs.
func template(gpus int, of string, notes ...string) kubetest.JSON {
	p := target(kubetest.Pod("", "", gpus), of, notes...)
	meta := p["metadata"].(kubetest.JSON)
	return kubetest.JSON{"metadata": kubetest.JSON{"labels": meta["labels"], "annotations": meta["annotations"]}, "spec": p["spec"]}
}

// gang asks that so many pods of a workload run, each on a node of its own, in one
// island; and at any time that no more of them have a node than there are ranks.
func (w *world) gang(namespace, prefix string, want int) func() string {
	return func() string {
		bound := 0
		for _, p := range w.pods(namespace) {
			if strings.HasPrefix(p.Metadata.Name, prefix) && p.Spec.NodeName != "" && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" {
				bound++
			}
		}
		if bound > want {
			w.t.Fatalf("%d pods of %s have a node; it has %d ranks%s", bound, prefix, want, w.whyWaiting(namespace))
		}
		on := w.runOf(namespace, prefix)
		if len(on) != want || len(slices.Compact(slices.Clone(on))) != want {
			return fmt.Sprintf("%s runs on %v, want %d nodes%s", prefix, on, want, w.whyWaiting(namespace))
		}
		if slices.ContainsFunc(on, func(n string) bool { return n[:2] != on[0][:2] }) {
			return fmt.Sprintf("%s runs on %v, which is more than one island", prefix, on)
		}
		return ""
	}
}

// breaks lets a GPU of a node fall off the bus, and waits until the gang that ran
// there is whole again on other nodes of the same island.
func (w *world) breaks(node, namespace, prefix string, want int) {
	w.t.Helper()
	w.conditionSaying(node, "XIDErrors", "True", "XID errors: 79", time.Now())
	w.eventually(3*time.Minute, prefix+" mended", func() string {
		if s := w.nodeState(node); s != fleet.Quarantined {
			return "the node is " + string(s)
		}
		lacks := w.gang(namespace, prefix, want)()
		if on := w.runOf(namespace, prefix); slices.Contains(on, node) || len(on) > 0 && on[0][:2] != node[:2] {
			return fmt.Sprintf("%s runs on %v", prefix, on)
		}
		return lacks
	})
}

// ended asks that nothing is left of a workload, in Muster or on the cluster.
func (w *world) ended(namespace, name, prefix string) func() string {
	return func() string {
		if s := w.state(namespace, name); !s.Ended() {
			return fmt.Sprintf("%s is %s%s", name, s, w.whyWaiting(namespace))
		}
		for _, p := range w.pods(namespace) {
			if strings.HasPrefix(p.Metadata.Name, prefix) && p.Spec.NodeName != "" && p.Status.Phase == "Running" {
				return p.Metadata.Name + " runs"
			}
		}
		return ""
	}
}

// lws is a LeaderWorkerSet of groups of so many pods of whole nodes.
func lws(namespace, name, of string, groups, size int) kubetest.JSON {
	return kubetest.JSON{
		"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": kubetest.JSON{"name": name, "namespace": namespace},
		"spec": kubetest.JSON{"replicas": groups, "leaderWorkerTemplate": kubetest.JSON{"size": size, "workerTemplate": template(8, of)}},
	}
}

func (w *world) lws(set kubetest.JSON) {
	w.t.Helper()
	w.make("leaderworkerset.x-k8s.io/v1", "leaderworkersets", set)
}

// TestALeaderWorkerSetIsAGangPerGroup runs groups of a leader and two workers by the
// real controller: each whole in one island. A group that is added waits whole, and is
// gone when the set is scaled back; a node is lost under a worker, and the group is
// restarted in place, as the controller does; then the set is deleted.
func TestALeaderWorkerSetIsAGangPerGroup(t *testing.T) {
	w := managing(t, 2, 4, map[string]int{"oak": 64})
	w.controller("lws")
	const path = "/apis/leaderworkerset.x-k8s.io/v1/namespaces/oak/leaderworkersets/serve"
	w.lws(lws("oak", "serve", "oak", 2, 3))
	w.eventually(3*time.Minute, "the first group", w.gang("oak", "serve-0", 3))
	w.eventually(3*time.Minute, "the second group", w.gang("oak", "serve-1", 3))
	w.read(func(s *fleet.State) {
		x := s.Workload("oak", "serve-0")
		if x == nil || len(x.Pools) != 1 || x.Pools[0].Min != 3 || x.Pools[0].Elastic || x.Pools[0].Reach != fleet.ReachIsland {
			t.Errorf("the first group is known as %+v", x)
		}
	})
	w.call(http.MethodPatch, path, kubetest.JSON{"spec": kubetest.JSON{"replicas": 3}}, nil)
	w.eventually(2*time.Minute, "a word to the third group", func() string { return w.told("oak", "serve-2", "QuotaFull") })
	if on := w.runOf("oak", "serve-2"); len(on) > 0 {
		t.Errorf("half of the third group runs on %v", on)
	}
	w.call(http.MethodPatch, path, kubetest.JSON{"spec": kubetest.JSON{"replicas": 2}}, nil)
	w.eventually(2*time.Minute, "the end of the third group", w.ended("oak", "serve-2", "serve-2"))

	kept := w.runOf("oak", "serve-1")
	w.breaks(w.nodeOf("oak", "serve-0-1"), "oak", "serve-0", 3)
	if on := w.runOf("oak", "serve-1"); !slices.Equal(on, kept) {
		t.Errorf("the other group ran on %v and runs on %v", kept, on)
	}
	w.oneCopyPerGPU()
	w.call(http.MethodDelete, path, nil, nil)
	for _, group := range []string{"serve-0", "serve-1"} {
		w.eventually(2*time.Minute, "the end of "+group, w.ended("oak", group, group))
	}
	w.sound()
}

// nodeOf is where a pod is.
func (w *world) nodeOf(namespace, name string) string {
	for _, p := range w.pods(namespace) {
		if p.Metadata.Name == name {
			return p.Spec.NodeName
		}
	}
	w.t.Fatalf("there is no pod %s/%s", namespace, name)
	return ""
}
