package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// kueueWay is Kueue: Jobs are made suspended, and it lets them go to kube-scheduler.
var kueueWay = way{
	key: "kueue", name: "Kueue", parts: []string{"kueue", "kube-scheduler"},
	lacks:   func(options) error { _, err := kubetest.KueueBinary(context.Background()); return err },
	version: func(options) string { return kubetest.KueueVersion(context.Background()) },
	start:   startKueue, make: batches(queued),
}

// queued is a suspended Job with a queue.
func queued(j job) batch {
	d := prioritised(j)
	d.labels, d.suspend = map[string]any{"kueue.x-k8s.io/queue-name": ownOrLent(j.class)}, true
	return d
}

const kueueAPI = "/apis/kueue.x-k8s.io/v1beta2/"

// startKueue starts Kueue. The queue of owned work has all GPUs as its quota, that of lent work
// borrows what it leaves unused.
func startKueue(ctx context.Context, b *bed) error {
	files, err := kubetest.KueueCRDs(ctx)
	if err != nil {
		return err
	}
	if err := b.c.MakeKinds(ctx, files, []string{kueueAPI + "clusterqueues", kueueAPI + "workloads"}); err != nil {
		return err
	}
	if err := b.c.StartKueue(ctx); err != nil {
		return err
	}
	if err := withPriorities(ctx, b); err != nil {
		return err
	}
	gpus := b.task.nodes * gpusOfNode
	return b.makeAll(ctx,
		kueueObject("resourceflavors", "ResourceFlavor", "", "all", kubetest.JSON{}),
		clusterQueue("owned", gpus), clusterQueue("lent", 0), localQueue("owned"), localQueue("lent"))
}

func clusterQueue(name string, gpus int) made {
	return kueueObject("clusterqueues", "ClusterQueue", "", name, kubetest.JSON{
		"cohortName": "all", "namespaceSelector": kubetest.JSON{}, "preemption": kubetest.JSON{"reclaimWithinCohort": "Any"},
		"resourceGroups": []kubetest.JSON{{
			"coveredResources": []string{"nvidia.com/gpu"},
			"flavors":          []kubetest.JSON{{"name": "all", "resources": []kubetest.JSON{{"name": "nvidia.com/gpu", "nominalQuota": fmt.Sprint(gpus)}}}},
		}},
	})
}

func localQueue(name string) made {
	return kueueObject("localqueues", "LocalQueue", space, name, kubetest.JSON{"clusterQueue": name})
}

// kueueObject is an object of Kueue's, in a namespace or (with none) of the cluster.
func kueueObject(plural, kind, namespace, name string, spec kubetest.JSON) made {
	path, meta := kueueAPI+plural, kubetest.JSON{"name": name}
	if namespace != "" {
		path, meta["namespace"] = kueueAPI+"namespaces/"+namespace+"/"+plural, namespace
	}
	return made{path, kubetest.JSON{"apiVersion": strings.Trim(kueueAPI[len("/apis/"):], "/"), "kind": kind, "metadata": meta, "spec": spec}}
}
