package kube

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// controller starts a controller of another project, or skips the test where it is not built.
// Those of LeaderWorkerSet and what came after it take minutes, and run where they are
// asked for: make controllers-test.
func (w *world) controller(name string) {
	w.t.Helper()
	if name != "jobset" && os.Getenv(kubetest.WantedControllers) != "1" {
		w.t.Skipf("it takes long; make controllers-test runs it, or %s=1", kubetest.WantedControllers)
	}
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

// make creates an object of such a controller's kind, below the path of its group and version.
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

// TestALeaderWorkerSetsLeaderGetsItsRoomFirst has sets whose workers are made once
// their leader is bound, or ready, and one whose leader asks for no GPU: each group gets
// its room whole. The second is restarted as it was started when a node of it fails.
func TestALeaderWorkerSetsLeaderGetsItsRoomFirst(t *testing.T) {
	w := managing(t, 3, 4, map[string]int{"oak": 96})
	w.controller("lws")
	beside := lws("oak", "beside", "oak", 1, 3)
	beside["metadata"].(kubetest.JSON)["annotations"] = kubetest.JSON{"leaderworkerset.sigs.k8s.io/exclusive-topology": "nvidia.com/gpu.clique"}
	w.lws(beside)
	w.eventually(3*time.Minute, "the group beside its leader", w.gang("oak", "beside-0", 3))
	ready := lws("oak", "ready", "oak", 1, 3)
	ready["spec"].(kubetest.JSON)["startupPolicy"] = "LeaderReady"
	w.lws(ready)
	w.eventually(3*time.Minute, "the group after its leader", w.gang("oak", "ready-0", 3))
	small := lws("oak", "small", "oak", 1, 3)
	leader := template(0, "")
	leader["spec"].(kubetest.JSON)["containers"].([]kubetest.JSON)[0]["resources"] = kubetest.JSON{}
	leader["metadata"] = kubetest.JSON{}
	small["spec"].(kubetest.JSON)["leaderWorkerTemplate"].(kubetest.JSON)["leaderTemplate"] = leader
	w.lws(small)
	w.eventually(3*time.Minute, "the workers of a leader without GPUs", func() string {
		if on := w.runOf("oak", "small-0-"); len(on) != 2 {
			return fmt.Sprintf("they run on %v%s", on, w.whyWaiting("oak"))
		}
		return ""
	})
	w.breaks(w.nodeOf("oak", "ready-0-1"), "oak", "ready-0", 3)
	w.sound()
}

// TestARayClusterIsAGangOfItsGroups runs a head and workers by the real controller: all
// of it or nothing, and a worker whose node fails is made anew in the same island. Suspended
// by its owner it gives its room back, and comes again when that is taken back.
func TestARayClusterIsAGangOfItsGroups(t *testing.T) {
	w := managing(t, 2, 4, map[string]int{"oak": 64})
	w.controller("ray")
	const path = "/apis/ray.io/v1/namespaces/oak/rayclusters/"
	cluster := func(name string) kubetest.JSON {
		return kubetest.JSON{
			"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": kubetest.JSON{"name": name, "namespace": "oak"},
			"spec": kubetest.JSON{
				"headGroupSpec": kubetest.JSON{"rayStartParams": kubetest.JSON{}, "template": template(8, "oak")},
				"workerGroupSpecs": []kubetest.JSON{{
					"groupName": "workers", "replicas": 3, "minReplicas": 3, "maxReplicas": 3, "rayStartParams": kubetest.JSON{}, "template": template(8, "oak"),
				}},
			},
		}
	}
	w.make("ray.io/v1", "rayclusters", cluster("rl"))
	w.eventually(3*time.Minute, "the head", w.gang("oak", "rl-head", 1))
	w.eventually(3*time.Minute, "the workers", w.gang("oak", "rl-workers", 3))
	w.read(func(s *fleet.State) {
		x := s.Workload("oak", "rl")
		if x == nil || len(x.Pools) != 2 || x.Pools[0].Name != "headgroup" || x.Pools[1].Name != "workers" || x.Pools[1].Min != 3 || x.Pools[1].Reach != fleet.ReachIsland {
			t.Errorf("it is known as %+v", x)
		}
	})
	second := cluster("second")
	second["spec"].(kubetest.JSON)["workerGroupSpecs"].([]kubetest.JSON)[0]["replicas"] = 4
	second["spec"].(kubetest.JSON)["workerGroupSpecs"].([]kubetest.JSON)[0]["maxReplicas"] = 4
	w.make("ray.io/v1", "rayclusters", second)
	w.eventually(2*time.Minute, "a word to the second", func() string { return w.told("oak", "second-workers", "QuotaFull") })
	if on := w.runOf("oak", "second"); len(on) > 0 {
		t.Errorf("half of the second runs on %v", on)
	}
	w.call(http.MethodDelete, path+"second", nil, nil)
	w.eventually(2*time.Minute, "the end of the second", w.ended("oak", "second", "second"))

	node := w.runOf("oak", "rl-workers")[0]
	w.breaks(node, "oak", "rl-workers", 3)
	w.call(http.MethodPatch, path+"rl", kubetest.JSON{"spec": kubetest.JSON{"suspend": true}}, nil)
	w.eventually(2*time.Minute, "room while it is suspended", func() string {
		if s := w.state("oak", "rl"); !s.Ended() {
			return fmt.Sprintf("it is %s%s", s, w.whyWaiting("oak"))
		}
		return ""
	})
	w.call(http.MethodPatch, path+"rl", kubetest.JSON{"spec": kubetest.JSON{"suspend": false}}, nil)
	w.eventually(3*time.Minute, "the head again", w.gang("oak", "rl-head", 1))
	w.eventually(3*time.Minute, "the workers again", w.gang("oak", "rl-workers", 3))
	w.oneCopyPerGPU()
	w.call(http.MethodDelete, path+"rl", nil, nil)
	w.eventually(2*time.Minute, "its end", w.ended("oak", "rl", "rl"))
	w.sound()
}

// TestAnMPIJobIsAGangOfItsWorkers runs workers by the real controller: all or none, in
// one island, a lost one made anew under its own name. When the launcher, which asks for
// no GPU, has ended, all of it has.
func TestAnMPIJobIsAGangOfItsWorkers(t *testing.T) {
	w := managing(t, 2, 4, map[string]int{"oak": 64})
	w.controller("mpi")
	launcher := template(0, "")
	launcher["spec"].(kubetest.JSON)["containers"].([]kubetest.JSON)[0]["resources"] = kubetest.JSON{}
	launcher["metadata"] = kubetest.JSON{}
	mpi := func(name string, workers int) kubetest.JSON {
		return kubetest.JSON{
			"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": kubetest.JSON{"name": name, "namespace": "oak"},
			"spec": kubetest.JSON{
				"slotsPerWorker": 8, "runPolicy": kubetest.JSON{"cleanPodPolicy": "Running"},
				"mpiReplicaSpecs": kubetest.JSON{
					"Launcher": kubetest.JSON{"replicas": 1, "template": launcher}, "Worker": kubetest.JSON{"replicas": workers, "template": template(8, "oak")},
				},
			},
		}
	}
	w.make("kubeflow.org/v2beta1", "mpijobs", mpi("train", 3))
	w.eventually(3*time.Minute, "the workers", w.gang("oak", "train-worker", 3))
	w.read(func(s *fleet.State) {
		x := s.Workload("oak", "train")
		if x == nil || len(x.Pools) != 1 || x.Pools[0].Name != "worker" || x.Pools[0].Min != 3 || x.Pools[0].Reach != fleet.ReachIsland {
			t.Errorf("it is known as %+v", x)
		}
	})
	w.make("kubeflow.org/v2beta1", "mpijobs", mpi("large", 6))
	w.eventually(2*time.Minute, "a word to the large one", func() string { return w.told("oak", "large-worker", "GangTooLarge") })
	w.call(http.MethodDelete, "/apis/kubeflow.org/v2beta1/namespaces/oak/mpijobs/large", nil, nil)
	w.eventually(2*time.Minute, "the end of the large one", w.ended("oak", "large", "large-worker"))
	w.breaks(w.nodeOf("oak", "train-worker-1"), "oak", "train-worker", 3)
	w.oneCopyPerGPU()
	w.eventually(2*time.Minute, "a launcher that runs", func() string { return lacks(w.runOf("oak", "train-launcher"), 1) })
	w.finish("oak", "train-launcher")
	w.eventually(2*time.Minute, "its end", w.ended("oak", "train", "train-worker"))
	if s := w.state("oak", "train"); s != fleet.Finished {
		t.Errorf("it is %s", s)
	}
	w.sound()
}

// TestATrainJobIsAGangThroughItsJobSet runs three nodes by the real controller of
// TrainJobs, which makes a JobSet, on that of JobSets: all or none, in one island, a lost
// one made anew. A person suspends it and lets it go on; deleted, it is over. The target
// is in the runtime, whose template the pods are made of.
func TestATrainJobIsAGangThroughItsJobSet(t *testing.T) {
	w := managing(t, 2, 4, map[string]int{"oak": 64})
	w.controller("trainer")
	pod := template(8, "oak")
	pod["spec"].(kubetest.JSON)["containers"].([]kubetest.JSON)[0]["name"] = "node"
	w.make("trainer.kubeflow.org/v1alpha1", "trainingruntimes", kubetest.JSON{
		"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": kubetest.JSON{"name": "torch", "namespace": "oak"},
		"spec": kubetest.JSON{
			"mlPolicy": kubetest.JSON{"numNodes": 1, "torch": kubetest.JSON{"numProcPerNode": "auto"}},
			"template": kubetest.JSON{"spec": kubetest.JSON{"replicatedJobs": []kubetest.JSON{{
				"name": "node", "template": kubetest.JSON{
					"metadata": kubetest.JSON{"labels": kubetest.JSON{"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
					"spec":     kubetest.JSON{"backoffLimit": 100, "template": pod},
				},
			}}}},
		},
	})
	train := func(name string, nodes int) kubetest.JSON {
		return kubetest.JSON{
			"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": kubetest.JSON{"name": name, "namespace": "oak"},
			"spec": kubetest.JSON{"runtimeRef": kubetest.JSON{"kind": "TrainingRuntime", "name": "torch"}, "trainer": kubetest.JSON{"numNodes": nodes}},
		}
	}
	const path = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/oak/trainjobs/"
	w.make("trainer.kubeflow.org/v1alpha1", "trainjobs", train("tune", 3))
	w.eventually(3*time.Minute, "its nodes", w.gang("oak", "tune-node", 3))
	w.read(func(s *fleet.State) {
		x := s.Workload("oak", "tune")
		if x == nil || len(x.Pools) != 1 || x.Pools[0].Name != "node" || x.Pools[0].Min != 3 || x.Pools[0].Reach != fleet.ReachIsland {
			t.Errorf("it is known as %+v", x)
		}
	})
	w.make("trainer.kubeflow.org/v1alpha1", "trainjobs", train("large", 6))
	w.eventually(2*time.Minute, "a word to the large one", func() string { return w.told("oak", "large-node", "GangTooLarge") })
	w.call(http.MethodDelete, path+"large", nil, nil)
	w.eventually(2*time.Minute, "the end of the large one", w.ended("oak", "large", "large-node"))
	w.breaks(w.runOf("oak", "tune-node")[0], "oak", "tune-node", 3)
	w.call(http.MethodPatch, path+"tune", kubetest.JSON{"spec": kubetest.JSON{"suspend": true}}, nil)
	w.eventually(2*time.Minute, "room while it is suspended", func() string {
		if s := w.state("oak", "tune"); !s.Ended() {
			return fmt.Sprintf("it is %s%s", s, w.whyWaiting("oak"))
		}
		return ""
	})
	w.call(http.MethodPatch, path+"tune", kubetest.JSON{"spec": kubetest.JSON{"suspend": false}}, nil)
	w.eventually(3*time.Minute, "its nodes again", w.gang("oak", "tune-node", 3))
	w.oneCopyPerGPU()
	w.call(http.MethodDelete, path+"tune", nil, nil)
	w.eventually(2*time.Minute, "its end", w.ended("oak", "tune", "tune-node"))
	w.sound()
}
