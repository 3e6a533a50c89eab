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

// part is a replicated job of a JobSet.
type part struct {
	name           string
	replicas, pods int
	notes          []string
	gpus           int
}

// jobset is a JobSet, with all that its webhook would fill in.
func jobset(namespace, name, of string, parts ...part) kubetest.JSON {
	jobs := make([]kubetest.JSON, 0, len(parts))
	for _, p := range parts {
		pod := target(kubetest.Pod(namespace, name, p.gpus), of, p.notes...)
		meta, spec := pod["metadata"].(kubetest.JSON), pod["spec"].(kubetest.JSON)
		spec["restartPolicy"] = "Never"
		jobs = append(jobs, kubetest.JSON{"name": p.name, "replicas": p.replicas, "template": kubetest.JSON{"spec": kubetest.JSON{
			"parallelism": p.pods, "completions": p.pods, "completionMode": "Indexed", "backoffLimit": 100,
			"template": kubetest.JSON{"metadata": kubetest.JSON{"labels": meta["labels"], "annotations": meta["annotations"]}, "spec": spec},
		}}})
	}
	return kubetest.JSON{
		"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": kubetest.JSON{"name": name, "namespace": namespace},
		"spec": kubetest.JSON{
			"replicatedJobs": jobs, "network": kubetest.JSON{"enableDNSHostnames": true, "publishNotReadyAddresses": true},
			"successPolicy": kubetest.JSON{"operator": "All"}, "startupPolicy": kubetest.JSON{"startupPolicyOrder": "AnyOrder"},
			"failurePolicy": kubetest.JSON{"maxRestarts": 10},
		},
	}
}

func (w *world) jobset(j kubetest.JSON) {
	w.t.Helper()
	w.call(http.MethodPost, "/apis/jobset.x-k8s.io/v1alpha2/namespaces/"+j["metadata"].(kubetest.JSON)["namespace"].(string)+"/jobsets", j, nil)
}

// runOf counts the running pods of a namespace whose names begin so.
func (w *world) runOf(namespace, prefix string) (nodes []string) {
	for _, p := range w.pods(namespace) {
		if strings.HasPrefix(p.Metadata.Name, prefix) && p.Status.Phase == "Running" && p.Metadata.DeletionTimestamp == "" {
			nodes = append(nodes, p.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// TestAJobSetIsAGangOfPools runs a driver and two jobs of workers by the real JobSet
// controller: all of it or nothing, workers in one island. A second one waits whole,
// and starts when the first has ended.
func TestAJobSetIsAGangOfPools(t *testing.T) {
	w := managing(t, 2, 5, map[string]int{"oak": 40})
	w.controller("jobset")
	set := func(name string) kubetest.JSON {
		return jobset("oak", name, "oak", part{name: "driver", replicas: 1, pods: 1, gpus: 8}, part{name: "workers", replicas: 2, pods: 2, gpus: 8})
	}
	w.jobset(set("first"))
	w.eventually(3*time.Minute, "the first", w.runs("oak", 5))
	on := w.runOf("oak", "first-workers")
	if len(on) != 4 || len(slices.Compact(slices.Clone(on))) != 4 || slices.ContainsFunc(on, func(n string) bool { return n[:2] != on[0][:2] }) {
		t.Errorf("the workers stand on %v, want four nodes of one island", on)
	}
	w.read(func(s *fleet.State) {
		x := s.Workload("oak", "first")
		if x == nil || len(x.Pools) != 2 || x.Pools[0].Name != "driver" || x.Pools[1].Name != "workers" || x.Pools[1].Min != 4 || x.Pools[1].Reach != fleet.ReachIsland {
			t.Errorf("it is known as %+v", x)
		}
	})
	w.jobset(set("second"))
	w.eventually(2*time.Minute, "a word to the second", func() string { return w.told("oak", "second", "QuotaFull") })
	if on := w.runOf("oak", "second"); len(on) > 0 {
		t.Errorf("half of the second runs on %v", on)
	}
	w.finish("oak", "first")
	w.eventually(3*time.Minute, "the second", func() string {
		if n := len(w.runOf("oak", "second")); n != 5 {
			return fmt.Sprintf("%d of it run%s", n, w.whyWaiting("oak"))
		}
		return ""
	})
	if s := w.state("oak", "first"); s != fleet.Finished {
		t.Errorf("the first is %s", s)
	}
	w.oneCopyPerGPU()
	w.sound()
}

// TestTrainersComeBeforeGraders has a JobSet with trainers of rank 0 and graders of
// rank 1: the graders join when there is room, and go first when there is not.
func TestTrainersComeBeforeGraders(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 24})
	w.controller("jobset")
	w.job(job("oak", "early", 1, "oak", translate.AnnotationPriority, "critical"))
	w.eventually(2*time.Minute, "the early job", func() string { return lacks(w.runOf("oak", "early"), 1) })
	w.jobset(jobset("oak", "rl", "oak",
		part{name: "trainer", replicas: 1, pods: 2, gpus: 8, notes: []string{translate.AnnotationRank, "0"}},
		part{name: "grader", replicas: 1, pods: 1, gpus: 8, notes: []string{translate.AnnotationRank, "1"}}))
	w.eventually(3*time.Minute, "the trainers", func() string { return lacks(w.runOf("oak", "rl-trainer"), 2) })
	if on := w.runOf("oak", "rl-grader"); len(on) > 0 {
		t.Errorf("the grader runs on %v, where there is no room", on)
	}
	w.finish("oak", "early")
	w.eventually(2*time.Minute, "the grader", func() string { return lacks(w.runOf("oak", "rl-grader"), 1) })
	w.job(job("oak", "late", 1, "oak", translate.AnnotationPriority, "critical"))
	w.eventually(2*time.Minute, "the late job in the grader's room", func() string { return lacks(w.runOf("oak", "late"), 1) })
	if on := w.runOf("oak", "rl-trainer"); len(on) != 2 {
		t.Errorf("the trainers run on %v", on)
	}
	w.oneCopyPerGPU()
	w.sound()
}

func lacks(on []string, want int) string {
	if len(on) != want {
		return fmt.Sprintf("they run on %v, want %d", on, want)
	}
	return ""
}

// TestASuspendedJobSetIsQueued makes a JobSet suspended: it is started by taking that back.
func TestASuspendedJobSetIsQueued(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 24})
	w.controller("jobset")
	w.job(job("oak", "first", 1, "oak"))
	w.eventually(2*time.Minute, "the first", w.runs("oak", 1))
	set := jobset("oak", "set", "oak", part{name: "driver", replicas: 1, pods: 1, gpus: 8}, part{name: "workers", replicas: 1, pods: 2, gpus: 8})
	set["spec"].(kubetest.JSON)["suspend"] = true
	w.jobset(set)
	w.eventually(2*time.Minute, "a word about why it waits", func() string { return w.noted("oak", "JobSet", "set") })
	if on := w.runOf("oak", "set"); len(on) > 0 {
		t.Errorf("it runs on %v", on)
	}
	w.finish("oak", "first")
	w.eventually(3*time.Minute, "the set", func() string {
		if on := w.runOf("oak", "set"); len(on) != 3 {
			return fmt.Sprint("it runs on ", on, w.whyWaiting("oak"))
		}
		return ""
	})
	w.sound()
}

// TestAJobSetInOrderStartsItsFirstPart has workers that are made once their driver is
// ready: the room of all of it is kept before the driver starts.
func TestAJobSetInOrderStartsItsFirstPart(t *testing.T) {
	w := managing(t, 1, 4, map[string]int{"oak": 32})
	w.controller("jobset")
	w.job(job("oak", "early", 2, "oak", translate.AnnotationPriority, "critical"))
	w.eventually(2*time.Minute, "the early job", func() string { return lacks(w.runOf("oak", "early"), 2) })
	set := jobset("oak", "set", "oak", part{name: "driver", replicas: 1, pods: 1, gpus: 8}, part{name: "workers", replicas: 1, pods: 2, gpus: 8})
	set["spec"].(kubetest.JSON)["startupPolicy"] = kubetest.JSON{"startupPolicyOrder": "InOrder"}
	w.jobset(set)
	w.eventually(2*time.Minute, "a word to the driver", func() string { return w.told("oak", "set-driver", "QuotaFull") })
	if on := w.runOf("oak", "set"); len(on) > 0 {
		t.Errorf("the driver runs on %v, and there is no room for the workers", on)
	}
	w.finish("oak", "early")
	w.eventually(3*time.Minute, "all of it", func() string {
		if on := w.runOf("oak", "set"); len(on) != 3 {
			return fmt.Sprint("it runs on ", on, w.whyWaiting("oak"))
		}
		return ""
	})
	w.oneCopyPerGPU()
	w.sound()
}

// TestAJobSetComesBackWithoutWhatHasFinished lets the driver of a JobSet finish, and then
// evicts the rest: it comes back as soon as there is room for what is left of it.
func TestAJobSetComesBackWithoutWhatHasFinished(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 24})
	w.controller("jobset")
	w.jobset(jobset("oak", "rl", "oak", part{name: "driver", replicas: 1, pods: 1, gpus: 8}, part{name: "workers", replicas: 1, pods: 2, gpus: 8}))
	w.eventually(3*time.Minute, "all of it", func() string { return lacks(w.runOf("oak", "rl"), 3) })
	w.finish("oak", "rl-driver")
	w.eventually(time.Minute, "the driver's end", func() string {
		var set struct {
			Status struct {
				ReplicatedJobsStatus []struct {
					Name      string
					Succeeded int
				}
			}
		}
		w.call(http.MethodGet, "/apis/jobset.x-k8s.io/v1alpha2/namespaces/oak/jobsets/rl", nil, &set)
		for _, part := range set.Status.ReplicatedJobsStatus {
			if part.Name == "driver" && part.Succeeded == 1 {
				return ""
			}
		}
		return fmt.Sprint(set.Status.ReplicatedJobsStatus)
	})
	w.job(job("oak", "urgent", 1, "oak", translate.AnnotationPriority, "critical"))
	w.eventually(2*time.Minute, "the urgent job", func() string { return lacks(w.runOf("oak", "urgent"), 1) })
	w.eventually(2*time.Minute, "the workers again", func() string {
		if on := w.runOf("oak", "rl-workers"); len(on) != 2 {
			return fmt.Sprint("they run on ", on, w.whyWaiting("oak"))
		}
		return ""
	})
	w.oneCopyPerGPU()
	w.finish("oak", "rl-workers")
	w.eventually(2*time.Minute, "its end", func() string {
		if s := w.state("oak", "rl"); s != fleet.Finished {
			return "it is " + string(s)
		}
		return ""
	})
	w.sound()
}
