package kube

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// binding is a world in which Muster binds pods by itself.
func binding(t *testing.T, islands, each int, grants map[string]int) *world {
	return newWorldBy(t, nil, fleet.Enforce, func(w *world) { w.binds = true }).managed(islands, each, grants)
}

// yielding is a world in which kube-scheduler binds pods, once Muster lets them go.
func yielding(t *testing.T, islands, each int, grants map[string]int) *world {
	return newWorldBy(t, nil, fleet.Enforce, func(w *world) { w.yields = true }).managed(islands, each, grants)
}

// A gang is bound whole, in one island, without kube-scheduler and without a gate.
func TestMusterBindsAGangByItself(t *testing.T) {
	w := binding(t, 2, 6, map[string]int{"oak": 96})
	w.job(job("oak", "train", 5, "oak"))
	w.eventually(60*time.Second, "the gang", func() string {
		islands, bound := map[string]bool{}, 0
		for _, p := range w.pods("oak") {
			if p.Spec.NodeName != "" {
				island, _, _ := strings.Cut(p.Spec.NodeName, "-")
				islands[island] = true
				bound++
			}
			if len(p.Spec.SchedulingGates) > 0 || p.Spec.SchedulerName != translate.Scheduler {
				t.Fatalf("%s has %d gates and the scheduler %s", p.Metadata.Name, len(p.Spec.SchedulingGates), p.Spec.SchedulerName)
			}
		}
		if bound != 5 || len(islands) != 1 {
			return fmt.Sprintf("%d of 5 are bound, in %d islands", bound, len(islands))
		}
		return ""
	})
	w.eventually(60*time.Second, "it runs", w.runs("oak", 5))
	w.sound()
}

// A pod that needs what only kube-scheduler looks at is left to it.
func TestWhatOnlyKubeSchedulerKnowsIsLeftToIt(t *testing.T) {
	w := binding(t, 1, 2, map[string]int{"oak": 16})
	p := target(kubetest.Pod("oak", "spread", 8), "oak")
	p["spec"].(kubetest.JSON)["topologySpreadConstraints"] = []kubetest.JSON{{
		"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": kubetest.JSON{"matchLabels": kubetest.JSON{"app": "x"}},
	}}
	p["spec"].(kubetest.JSON)["schedulerName"] = translate.Scheduler // even if its author wrote so
	w.pod(p)
	w.eventually(60*time.Second, "it is bound", func() string {
		for _, p := range w.pods("oak") {
			if p.Spec.SchedulerName == translate.Scheduler {
				t.Fatal("it was not handed on")
			}
			if p.Spec.NodeName != "" {
				return ""
			}
		}
		return "it is not bound"
	})
}

// A node whose processors are taken gets no pod that its kubelet would reject; the pod says
// what is missing, and starts once there is room.
func TestAFullNodeIsNotBound(t *testing.T) {
	w := binding(t, 1, 1, map[string]int{"oak": 8})
	w.namespace("stranger", 0)
	w.pod(onNode(asking(kubetest.Pod("stranger", "full", 0), kubetest.JSON{"cpu": w.coresOf("i0-n000")}), "i0-n000"))
	w.pod(asking(target(kubetest.Pod("oak", "one", 8), "oak"), kubetest.JSON{"cpu": "2", "nvidia.com/gpu": "8"}))
	w.eventually(60*time.Second, "the reason", func() string {
		for _, p := range w.pods("oak") {
			if p.Spec.NodeName != "" {
				t.Fatal("it was bound to a full node")
			}
			for _, c := range p.Status.Conditions {
				if c.Type == translate.Condition && strings.Contains(c.Message, "insufficient cpu") && strings.Contains(c.Message, "i0-n000") {
					return ""
				}
			}
		}
		return "no pod says that cpu is missing"
	})
	w.call(http.MethodDelete, "/api/v1/namespaces/stranger/pods/full?gracePeriodSeconds=0", nil, nil)
	w.eventually(60*time.Second, "it is bound", func() string {
		for _, p := range w.pods("oak") {
			if p.Spec.NodeName == "i0-n000" {
				return ""
			}
		}
		return "it is not bound"
	})
}

// asking is a pod that requests these resources.
func asking(p kubetest.JSON, requests kubetest.JSON) kubetest.JSON {
	limits := kubetest.JSON{}
	if n, ok := requests["nvidia.com/gpu"]; ok {
		limits["nvidia.com/gpu"] = n
	}
	p["spec"].(kubetest.JSON)["containers"].([]kubetest.JSON)[0]["resources"] = kubetest.JSON{"requests": requests, "limits": limits}
	return p
}

// onNode is a pod that stands on a node past every scheduler.
func onNode(p kubetest.JSON, node string) kubetest.JSON {
	p["spec"].(kubetest.JSON)["nodeName"] = node
	return p
}

// coresOf is what a node offers of processors.
func (w *world) coresOf(node string) string {
	w.t.Helper()
	var n struct {
		Status struct{ Allocatable map[string]string }
	}
	w.call(http.MethodGet, "/api/v1/nodes/"+node, nil, &n)
	return n.Status.Allocatable["cpu"]
}
