package kube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// eitherWay tells a story twice: Muster binds pods by itself, and kube-scheduler does.
func eitherWay(t *testing.T, nodes int, tell func(w *world)) {
	grants := map[string]int{"oak": 8 * nodes}
	t.Run("Muster binds", func(t *testing.T) { tell(binding(t, 1, nodes, grants)) })
	t.Run("kube-scheduler binds", func(t *testing.T) { tell(yielding(t, 1, nodes, grants)) })
}

// wanting is a Job whose pods take a node each and request so many cores.
func wanting(name string, pods int, cores string) kubetest.JSON {
	j := job("oak", name, pods, "oak")
	asking(j["spec"].(kubetest.JSON)["template"].(kubetest.JSON), kubetest.JSON{"cpu": cores, "nvidia.com/gpu": "8"})
	return j
}

// fills lets a pod that is not Muster's take all processors of a node, as one of a DaemonSet may.
func (w *world) fills(node string) {
	w.t.Helper()
	w.namespace("stranger", 0)
	w.pod(onNode(asking(kubetest.Pod("stranger", "full-"+node, 0), kubetest.JSON{"cpu": w.coresOf(node)}), node))
}

func (w *world) empties(node string) {
	w.t.Helper()
	w.call(http.MethodDelete, "/api/v1/namespaces/stranger/pods/full-"+node+"?gracePeriodSeconds=0", nil, nil)
}

// runsOn asks that a Job's pods run on exactly these nodes.
func (w *world) runsOn(name string, want ...string) func() string {
	return func() string {
		var on []string
		for _, p := range w.pods("oak") {
			if strings.HasPrefix(p.Metadata.Name, name+"-") && p.Status.Phase == "Running" && p.Metadata.DeletionTimestamp == "" {
				on = append(on, p.Spec.NodeName)
			}
		}
		if slices.Sort(on); !slices.Equal(on, want) {
			return fmt.Sprintf("%s runs on %v, and should on %v%s", name, on, want, w.whyWaiting("oak"))
		}
		return ""
	}
}

// saysOf asks that a waiting pod of a Job names a node, and what it lacks.
func (w *world) saysOf(name, node, lacks string) func() string {
	return func() string {
		for _, p := range w.pods("oak") {
			for _, c := range p.Status.Conditions {
				if strings.HasPrefix(p.Metadata.Name, name+"-") && c.Type == translate.Condition && c.Reason == "DoesNotFit" &&
					strings.Contains(c.Message, node) && strings.Contains(c.Message, lacks) {
					return ""
				}
			}
		}
		return "no pod of " + name + " says that " + node + " lacks " + lacks + w.whyWaiting("oak")
	}
}

// A node whose processors are taken is not free for a pod that needs some. One that finds no other node
// waits, says why, and starts once there is room.
func TestAFullNodeIsNotChosen(t *testing.T) {
	eitherWay(t, 2, func(w *world) {
		w.fills("i0-n000")
		w.job(wanting("one", 1, "2"))
		w.eventually(60*time.Second, "one", w.runsOn("one", "i0-n001"))
		w.job(wanting("two", 1, "2"))
		w.eventually(60*time.Second, "the reason", w.saysOf("two", "i0-n000", "insufficient cpu"))
		w.empties("i0-n000")
		w.eventually(60*time.Second, "two", w.runsOn("two", "i0-n000"))
		w.sound()
	})
}

// A node that shrinks takes no more than it has left.
func TestANodeThatShrinksIsNotChosen(t *testing.T) {
	eitherWay(t, 2, func(w *world) {
		had := w.coresOf("i0-n000")
		cores := func(n string) {
			w.call(http.MethodPatch, "/api/v1/nodes/i0-n000/status", kubetest.JSON{"status": kubetest.JSON{"allocatable": kubetest.JSON{"cpu": n}}}, nil)
		}
		cores("1")
		t := w.t
		t.Cleanup(func() { cores(had) })
		w.job(wanting("train", 1, "2"))
		w.eventually(60*time.Second, "train", w.runsOn("train", "i0-n001"))
		w.job(wanting("waits", 1, "2"))
		w.eventually(60*time.Second, "the reason", w.saysOf("waits", "i0-n000", "it requests 2, 1 of 1 is free"))
		cores(had)
		w.eventually(60*time.Second, "waits", w.runsOn("waits", "i0-n000"))
	})
}

// A pod of others comes to a node between the decision and the start. The gang, of which nothing
// runs yet, is planned anew.
func TestWhatComesInBetweenMovesAStart(t *testing.T) {
	eitherWay(t, 3, func(w *world) {
		var once sync.Once
		taken := make(chan string, 1)
		w.decided = func(r event.Record) {
			for _, e := range r.Events {
				if placed, ok := e.(event.ReplicasPlaced); ok {
					once.Do(func() { taken <- w.inBetween(placed) })
				}
			}
		}
		w.job(wanting("train", 2, "2"))
		free := []string{"i0-n000", "i0-n001", "i0-n002"}
		node := <-taken
		free = slices.DeleteFunc(free, func(n string) bool { return n == node })
		w.eventually(60*time.Second, "the gang", w.runsOn("train", free...))
		w.sound()
	})
}

// inBetween fills the first node that was chosen, and waits until the agent sees it. It is
// called before the decision is heard of.
func (w *world) inBetween(placed event.ReplicasPlaced) string {
	node := fmt.Sprintf("i0-n%03d", placed.Spots[0].Nodes[0])
	w.fills(node)
	w.eventually(60*time.Second, "the stranger is seen", func() string {
		for _, p := range w.agent.watch.pods.all() {
			if p.gpu == nil && p.node == node && p.stands.Requests.MilliCPU > 1000 {
				return ""
			}
		}
		return "it is not"
	})
	return node
}

// A DaemonSet of others comes to every node between the decision and the start, and takes the room. No pod starts,
// none is rejected, and the reason names a pod that is in the way. Once the DaemonSet has left they start.
func TestADaemonSetThatComesInBetweenIsNamed(t *testing.T) {
	eitherWay(t, 2, func(w *world) {
		w.namespace("stranger", 0)
		var once sync.Once
		came := make(chan string, 1)
		w.decided = func(r event.Record) {
			for _, e := range r.Events {
				if _, ok := e.(event.ReplicasPlaced); ok {
					once.Do(func() { came <- w.daemonSetComes() })
				}
			}
		}
		w.job(wanting("train", 2, "2"))
		pod := <-came
		w.eventually(60*time.Second, "the reason", w.saysOf("train", "insufficient cpu", "in the way: pods that are not Muster's ("+pod))
		for _, p := range w.pods("oak") {
			if p.Spec.NodeName != "" || p.Status.Phase == "Failed" {
				t.Errorf("%s is on %q and %s", p.Metadata.Name, p.Spec.NodeName, p.Status.Phase)
			}
		}
		w.call(http.MethodDelete, "/apis/apps/v1/namespaces/stranger/daemonsets/watcher?propagationPolicy=Background", nil, nil)
		w.eventually(60*time.Second, "the gang", w.runsOn("train", "i0-n000", "i0-n001"))
		w.sound()
	})
}

// daemonSetComes makes a DaemonSet that leaves one core on each node, waits until the agent sees its pods
// everywhere, and says how their names begin. It is called before the decision is heard of.
func (w *world) daemonSetComes() string {
	var cores int
	_, _ = fmt.Sscan(w.coresOf("i0-n000"), &cores)
	p := asking(kubetest.Pod("stranger", "watcher", 0), kubetest.JSON{"cpu": fmt.Sprint(cores - 1)})
	spec := p["spec"].(kubetest.JSON)
	spec["terminationGracePeriodSeconds"] = 1
	spec["tolerations"] = []kubetest.JSON{{"operator": "Exists"}}
	labels := kubetest.JSON{"app": "watcher"}
	w.call(http.MethodPost, "/apis/apps/v1/namespaces/stranger/daemonsets", kubetest.JSON{
		"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": kubetest.JSON{"name": "watcher", "namespace": "stranger"},
		"spec": kubetest.JSON{
			"selector": kubetest.JSON{"matchLabels": labels},
			"template": kubetest.JSON{"metadata": kubetest.JSON{"labels": labels}, "spec": spec},
		},
	}, nil)
	w.eventually(60*time.Second, "the DaemonSet is seen", func() string {
		nodes := map[string]bool{}
		w.agent.watch.pods.each(func(name string, p seenPod) {
			if strings.HasPrefix(name, "stranger/watcher-") && p.stands != nil {
				nodes[p.node] = true
			}
		})
		if len(nodes) < 2 {
			return fmt.Sprintf("it stands on %d nodes", len(nodes))
		}
		return ""
	})
	return "stranger/watcher-"
}

// Under a gang that runs only the member moves that finds no room where it was.
func TestAMemberWhoseNodeIsFullMoves(t *testing.T) {
	eitherWay(t, 3, func(w *world) {
		w.job(wanting("train", 2, "2"))
		w.eventually(60*time.Second, "the gang", w.runs("oak", 2))
		on := w.running("oak")
		var free string
		for _, n := range []string{"i0-n000", "i0-n001", "i0-n002"} {
			if !slices.Contains(on, n) {
				free = n
			}
		}
		uid := w.uidOn("oak", on[1])
		w.fills(on[0])
		for _, p := range w.pods("oak") {
			if p.Spec.NodeName == on[0] {
				w.call(http.MethodDelete, "/api/v1/namespaces/oak/pods/"+p.Metadata.Name+"?gracePeriodSeconds=0", nil, nil)
			}
		}
		want := []string{on[1], free}
		slices.Sort(want)
		w.eventually(60*time.Second, "the member moved", w.runsOn("train", want...))
		if w.uidOn("oak", on[1]) != uid {
			w.t.Error("the member that fits was started anew")
		}
		w.sound()
	})
}

// A pod that a kubelet rejects is made again by its Job, and started elsewhere.
func TestAPodThatAKubeletRejectsStartsElsewhere(t *testing.T) {
	eitherWay(t, 2, func(w *world) {
		said := make(chan string, 100)
		w.decided = func(r event.Record) {
			for _, e := range r.Events {
				if fit, ok := e.(event.FitObserved); ok && len(fit.Tight) > 0 {
					said <- fit.Tight[0].Why
				}
			}
		}
		w.job(wanting("train", 1, "2"))
		w.eventually(60*time.Second, "train", w.runs("oak", 1))
		p := w.pods("oak")[0]
		w.call(http.MethodPatch, "/api/v1/namespaces/oak/pods/"+p.Metadata.Name+"/status", kubetest.JSON{"status": kubetest.JSON{
			"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: Node didn't have enough resource: cpu",
		}}, nil)
		other := map[string]string{"i0-n000": "i0-n001", "i0-n001": "i0-n000"}[p.Spec.NodeName]
		w.eventually(60*time.Second, "it runs elsewhere", w.runsOn("train", other))
		if why := <-said; !strings.Contains(why, "OutOfcpu") || !strings.Contains(why, p.Metadata.Name) {
			w.t.Errorf("the node is tight, for %q", why)
		}
		w.sound()
	})
}

// Without the right to bind pods wait, and say which role is missing; with it they start.
func TestPodsThatMusterMayNotBindSaySo(t *testing.T) {
	w := binding(t, 1, 1, map[string]int{"oak": 8})
	w.c.Revoke(w.ctx, "muster-bind")
	w.job(wanting("train", 1, "2"))
	w.eventually(60*time.Second, "the reason", func() string { return w.told("oak", "train", "NotBound") })
	if err := w.c.Grant(w.ctx, "agent", "muster-bind"); err != nil {
		t.Fatal(err)
	}
	w.eventually(60*time.Second, "it starts", w.runs("oak", 1))
}

// After a crash two agents may act for a while, each of which knows nothing of what the other
// started. Nothing starts twice, and nothing is lost.
func TestTwoAgentsAtOnceStartNothingTwice(t *testing.T) {
	eitherWay(t, 6, func(w *world) {
		w.join(fleet.Enforce) // the first one goes on, too
		for i := range 4 {
			w.job(wanting(fmt.Sprintf("one%d", i), 1, "2"))
		}
		w.job(wanting("gang", 2, "2"))
		w.eventually(60*time.Second, "all of it", w.runs("oak", 6))
		w.oneCopyPerGPU()
		w.sound()
	})
}
