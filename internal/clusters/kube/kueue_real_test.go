package kube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const kueueAPI = "/apis/kueue.x-k8s.io/v1beta2/"

// newKueueWorld is a cluster that has Kueue's objects, joined so that Muster writes
// its quotas. What Kueue's own controller would do plays no part here.
func newKueueWorld(t *testing.T) *world {
	w := &world{t: t, c: controlPlane(t), ctx: t.Context()}
	w.kueueCRDs()
	w = newWorld(t, fleet.Observe)
	return w
}

// kueueCRDs makes Kueue's kinds of objects known, and removes all of them.
func (w *world) kueueCRDs() {
	w.t.Helper()
	files, err := kubetest.KueueCRDs(w.ctx)
	if err != nil || len(files) == 0 {
		w.t.Skipf("Kueue's module is not to be had: %v", err)
	}
	for _, file := range files {
		w.manifest(file)
	}
	w.eventually(time.Minute, "no objects of Kueue's", w.withoutKueue)
}

// withoutKueue removes all of Kueue's objects, and says what is left. Kueue itself
// may not be there to let go of them.
func (w *world) withoutKueue() (left string) {
	for _, kind := range []string{"workloads", "localqueues", "clusterqueues", "cohorts", "resourceflavors"} {
		var list struct {
			Items []struct {
				Metadata struct {
					Namespace, Name string
					Finalizers      []string
				}
			}
		}
		if err := w.c.Call(w.ctx, http.MethodGet, kueueAPI+kind, nil, &list); err != nil {
			return err.Error()
		}
		for _, x := range list.Items {
			path := kueueAPI + kind + "/" + x.Metadata.Name
			if x.Metadata.Namespace != "" {
				path = kueueAPI + "namespaces/" + x.Metadata.Namespace + "/" + kind + "/" + x.Metadata.Name
			}
			if len(x.Metadata.Finalizers) > 0 {
				_ = w.c.Call(w.ctx, http.MethodPatch, path, kubetest.JSON{"metadata": kubetest.JSON{"finalizers": nil}}, nil)
			}
			_ = w.c.Call(w.ctx, http.MethodDelete, path, nil, nil)
			left += " " + path
		}
	}
	return left
}

// restartWith begins with a new agent that has other options.
func (w *world) restartWith(change func(*Options), mode fleet.Mode) {
	w.stop()
	w.options = change
	w.join(mode)
}

func (w *world) flavor(name, product string) {
	w.t.Helper()
	w.call(http.MethodPost, kueueAPI+"resourceflavors", kubetest.JSON{
		"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": kubetest.JSON{"name": name},
		"spec": kubetest.JSON{"nodeLabels": kubetest.JSON{"nvidia.com/gpu.product": product}},
	}, nil)
}

// clusterQueue makes a ClusterQueue of a cohort with one flavor, and a LocalQueue to it in a namespace of its name.
func (w *world) clusterQueue(name, cohort, flavor string, gpus int) {
	w.t.Helper()
	w.call(http.MethodPost, kueueAPI+"clusterqueues", kubetest.JSON{
		"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": kubetest.JSON{"name": name},
		"spec": kubetest.JSON{
			"cohortName": cohort, "namespaceSelector": kubetest.JSON{}, "preemption": kubetest.JSON{"reclaimWithinCohort": "Any"},
			"resourceGroups": []kubetest.JSON{{
				"coveredResources": []string{"nvidia.com/gpu", "cpu"},
				"flavors": []kubetest.JSON{{"name": flavor, "resources": []kubetest.JSON{
					{"name": "nvidia.com/gpu", "nominalQuota": fmt.Sprint(gpus)}, {"name": "cpu", "nominalQuota": "1000"},
				}}},
			}},
		},
	}, nil)
	w.localQueue(name, name)
}

func (w *world) localQueue(namespace, queue string) {
	w.t.Helper()
	w.call(http.MethodPost, kueueAPI+"namespaces/"+namespace+"/localqueues", kubetest.JSON{
		"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": kubetest.JSON{"name": queue, "namespace": namespace},
		"spec": kubetest.JSON{"clusterQueue": queue},
	}, nil)
}

// nominal reads the GPUs of a ClusterQueue: its nominal quota, and what it may borrow.
func (w *world) nominal(queue string) (nominal, borrow string) {
	var q struct {
		Spec struct {
			ResourceGroups []struct {
				Flavors []struct {
					Resources []struct{ Name, NominalQuota, BorrowingLimit string }
				}
			}
		}
	}
	if err := w.c.Call(w.ctx, http.MethodGet, kueueAPI+"clusterqueues/"+queue, nil, &q); err != nil {
		return err.Error(), ""
	}
	for _, g := range q.Spec.ResourceGroups {
		for _, r := range g.Flavors[0].Resources {
			if r.Name == "nvidia.com/gpu" {
				return r.NominalQuota, r.BorrowingLimit
			}
		}
	}
	return "none", ""
}

// quotas asks for the nominal quotas of queues.
func (w *world) quotas(want map[string]string) func() string {
	return func() string {
		for queue, gpus := range want {
			if is, _ := w.nominal(queue); is != gpus {
				return fmt.Sprintf("%s has %s, want %s", queue, is, gpus)
			}
		}
		return ""
	}
}

// edit changes the nominal quota of a queue's first resource as a person with kubectl would.
func (w *world) edit(queue string, resource int, value string) {
	w.t.Helper()
	var q kubetest.JSON
	w.call(http.MethodGet, kueueAPI+"clusterqueues/"+queue, nil, &q)
	groups := q["spec"].(kubetest.JSON)["resourceGroups"]
	of := groups.([]any)[0].(kubetest.JSON)["flavors"].([]any)[0].(kubetest.JSON)["resources"].([]any)[resource].(kubetest.JSON)
	of["nominalQuota"] = value
	w.call(http.MethodPatch, kueueAPI+"clusterqueues/"+queue+"?fieldManager=kubectl-edit", kubetest.JSON{"spec": kubetest.JSON{"resourceGroups": groups}}, nil)
}

// says asks that the agent says something of an object.
func (w *world) says(object, part string) func() string {
	return func() string {
		all := w.agent.Problems()
		for _, p := range all {
			if p.Object == object && strings.Contains(p.Text, part) {
				return ""
			}
		}
		return fmt.Sprintf("nothing says %q of %s, only %v", part, object, all)
	}
}

// TestKueuesQuotasFollowTheMetal joins a cluster whose ClusterQueues promise all of
// it, loses a node, edits queues by hand, and hands one back.
func TestKueuesQuotasFollowTheMetal(t *testing.T) {
	w := newKueueWorld(t)
	w.flavor("fast", "NVIDIA-H200")
	w.nodes(2, 4)
	w.namespace("oak", 0)
	w.namespace("elm", 0)
	w.clusterQueue("oak", "research", "fast", 32)
	w.clusterQueue("elm", "research", "fast", 24)
	w.eventually(time.Minute, "the nodes", func() string { return w.figures(64, 64) })
	w.restartWith(func(o *Options) { o.Kueue = true }, fleet.Observe)
	w.eventually(time.Minute, "the first writing", w.quotas(map[string]string{"oak": "32", "elm": "24", kueue.FlexQueue: "8"}))
	if _, borrow := w.nominal("oak"); borrow != "24" {
		t.Errorf("oak may borrow %s, want what elm has, 24", borrow)
	}
	w.eventually(time.Minute, "what Kueue cannot say", func() string {
		if list := w.agent.Said("oak", "x", "research/oak"); len(list) > 0 {
			return ""
		}
		// The aligner has given oak one island, and elm the other.
		return w.quotas(map[string]string{"oak": "32"})()
	})

	began := time.Now()
	w.condition("i0-n000", "Ready", "False", time.Now())
	w.condition("i1-n000", "Ready", "False", time.Now())
	w.eventually(time.Minute, "what two lost nodes take", func() string {
		total := 0
		for _, queue := range []string{"oak", "elm"} {
			var n int
			is, _ := w.nominal(queue)
			if _, err := fmt.Sscan(is, &n); err != nil {
				return is
			}
			total += n
		}
		if flex, _ := w.nominal(kueue.FlexQueue); total != 48 || flex != "0" {
			return fmt.Sprintf("oak and elm have %d of 48, flex %s", total, flex)
		}
		return ""
	})
	t.Logf("two nodes lost, and Kueue's quotas are 48 of 56 after %s", time.Since(began).Round(10*time.Millisecond))

	w.edit("oak", 1, "777") // of what is not Muster's people may do as they like
	w.edit("elm", 0, "56")
	w.eventually(time.Minute, "a word about the edit", w.says("clusterqueue/elm", "kubectl-edit has set flavor fast"))
	if list := w.agent.Said("elm", "x", "research/elm"); !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "kubectl-edit") }) {
		t.Errorf("of work in elm it says %v", list)
	}
	oak, _ := w.nominal("oak")
	w.condition("i0-n000", "Ready", "True", time.Now())
	w.condition("i1-n000", "Ready", "True", time.Now())
	w.eventually(time.Minute, "the nodes back", func() string { return w.figures(64, 64) })
	if is, _ := w.nominal("elm"); is != "56" {
		t.Errorf("elm's edit became %s", is)
	}
	w.call(http.MethodPatch, kueueAPI+"clusterqueues/elm", kubetest.JSON{"metadata": kubetest.JSON{"annotations": kubetest.JSON{kueue.Written: nil}}}, nil)
	w.eventually(time.Minute, "elm handed back", func() string {
		if is, _ := w.nominal("elm"); is == "56" {
			return "it is still as edited"
		}
		return ""
	})
	// What people granted is not lost, and not read from what is backed.
	w.read(func(s *fleet.State) {
		for quota, gpus := range map[string]int{"research/oak": 32, "research/elm": 24} {
			if a := s.Partition("tiger/h200").Account(quota); a == nil || a.Grant != gpus {
				t.Errorf("grant of %s is %+v, want %d", quota, a, gpus)
			}
		}
	})
	if now, _ := w.nominal("oak"); now != oak {
		t.Logf("oak went from %s to %s", oak, now)
	}
	w.cpuIs("oak", "777")
	w.sound()
}

func (w *world) cpuIs(queue, want string) {
	w.t.Helper()
	var q kubetest.JSON
	w.call(http.MethodGet, kueueAPI+"clusterqueues/"+queue, nil, &q)
	if text := fmt.Sprint(q["spec"]); !strings.Contains(text, "nominalQuota:"+want) {
		w.t.Errorf("%s lost what a person wrote of its CPUs: %s", queue, text)
	}
}

// TestWhatKueueKeepsWaitingHasAReason shows a Workload as Kueue's controller makes
// it for a suspended Job: there are no pods, and Muster knows it even so.
func TestWhatKueueKeepsWaitingHasAReason(t *testing.T) {
	w := newKueueWorld(t)
	w.flavor("fast", "NVIDIA-H200")
	w.nodes(1, 2)
	w.namespace("oak", 0)
	w.clusterQueue("oak", "research", "fast", 8)
	j := job("oak", "train", 2, "")
	j["spec"].(kubetest.JSON)["suspend"] = true
	w.job(j)
	var made struct{ Metadata struct{ UID string } }
	w.call(http.MethodGet, "/apis/batch/v1/namespaces/oak/jobs/train", nil, &made)
	const path = kueueAPI + "namespaces/oak/workloads"
	w.call(http.MethodPost, path, kubetest.JSON{
		"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
		"metadata": kubetest.JSON{"name": "job-train", "namespace": "oak", "ownerReferences": []kubetest.JSON{
			{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": made.Metadata.UID, "controller": true},
		}},
		"spec": kubetest.JSON{"queueName": "oak", "podSets": []kubetest.JSON{{"name": "main", "count": 2, "template": j["spec"].(kubetest.JSON)["template"]}}},
	}, nil)
	w.call(http.MethodPatch, path+"/job-train/status", kubetest.JSON{"status": kubetest.JSON{"conditions": []kubetest.JSON{{
		"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "insufficient unused quota in cohort research",
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}}}}, nil)
	w.eventually(time.Minute, "the workload", func() (missing string) {
		w.read(func(s *fleet.State) {
			if x := s.Workload("oak", "train"); x == nil || x.State != fleet.Pending || x.Target != "research/oak" || x.Pools[0].Min != 2 {
				missing = fmt.Sprintf("it is known as %+v", x)
			}
		})
		return missing
	})
	if list := w.agent.Said("oak", "train", "research/oak"); !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "insufficient unused quota in cohort research") }) {
		t.Errorf("Kueue's own reason is not told: %v", list)
	}
	w.sound()
}
