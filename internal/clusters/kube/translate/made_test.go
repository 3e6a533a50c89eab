package translate

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A template may say anything about an author: it is no object yet. The pods that Muster pictures of one
// are what the object is that makes them, or the pod that is there already.
func TestATemplateNamesNoAuthor(t *testing.T) {
	o := Defaults("tiger")
	const forged = `metadata: {labels: {muster.dev/target: oak}, annotations: {muster.dev/author: forged}}
spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 8}}}]}
`
	template := object(t, forged).Object
	job := object(t, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: oak, uid: u, annotations: {muster.dev/author: ada}}\nspec: {suspend: true, parallelism: 2}\n")
	job.Object["spec"].(map[string]any)["template"] = template
	s, ok := SuspendableOf(job, &o)
	pods := Draw([][]Picture{s.Pods})
	if !ok || len(pods) != 2 {
		t.Fatalf("it has the pods %+v", pods)
	}
	for _, p := range pods {
		if want := (Made{By: Maker{"batch", "Job", "train", "u"}, At: p.Created}); p.Made != want {
			t.Errorf("a pod of a suspended Job was made so: %+v, want %+v", p.Made, want)
		}
	}
	like := Pod{Namespace: "oak", Owner: Owner{Kind: "MPIJob", Name: "mpi", UID: "m"}, Made: Made{At: 7, By: Maker{"kubeflow.org", "MPIJob", "mpi", "m"}}}
	mpi := object(t, "metadata: {name: mpi, namespace: oak, uid: m}\nspec: {mpiReplicaSpecs: {Worker: {replicas: 2}}}\n")
	mpi.Object["spec"].(map[string]any)["mpiReplicaSpecs"].(map[string]any)["Worker"].(map[string]any)["template"] = template
	list := Pictured(mpi, &like, &o)
	if len(list) != 2 || list[0].Made != like.Made || list[1].Made != like.Made {
		t.Errorf("pods that an MPIJob will make were made so: %+v, want as the one that is there", list)
	}
}

// The oldest pod speaks for a workload, whichever pool it is of.
func TestTheOldestPodSaysWhoMadeAWorkload(t *testing.T) {
	pod := func(name, pool, author string, at fleet.Instant) Pod {
		return Pod{Namespace: "oak", Name: name, GPUs: 8, Created: at, Index: -1, Wishes: Wishes{Workload: "shared", Pool: pool}, Made: Made{Author: author}}
	}
	w := Group([]Pod{pod("b", "a-first", "mia", 9), pod("a", "z-last", "ada", 3)})
	if len(w) != 1 || w[0].Made.Author != "ada" {
		t.Errorf("it was made by %+v", w)
	}
}
