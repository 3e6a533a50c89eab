package main

import (
	"context"
	"fmt"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

var kai = peer{folder: "kai", programs: []string{"scheduler", "binder", "podgrouper", "podgroupcontroller", "queuecontroller"}}

// kaiWay is KAI-Scheduler. It takes a Job's pods one by one, so a gang is a PodGroup with pods
// that no Job makes.
var kaiWay = way{
	key: "kai", name: "KAI-Scheduler", parts: kai.parts(),
	lacks: kai.lacks, version: kai.version, start: startKAI, make: kaiObjects,
}

const (
	kaiQueues    = "/apis/scheduling.run.ai/v2/queues"
	kaiPodGroups = "/apis/scheduling.run.ai/v2alpha2/namespaces/" + space + "/podgroups"
)

func kaiObjects(_ *bed, list []job) (all []made) {
	for _, j := range list {
		if j.pods == 1 {
			all = append(all, kaiJob(j).object(j))
			continue
		}
		all = append(all, kaiGang(j)...)
	}
	return all
}

// kaiLabels says of which queue something is.
func kaiLabels(j job) map[string]any {
	return map[string]any{"kai.scheduler/queue": ownOrLent(j.class)}
}

// kaiJob is a Job of one pod.
func kaiJob(j job) batch {
	return batch{labels: kaiLabels(j), podLabels: kaiLabels(j), spec: kubetest.JSON{"schedulerName": "kai-scheduler"}}
}

// kaiGang is a PodGroup and its pods.
func kaiGang(j job) []made {
	all := []made{{kaiPodGroups, kubetest.JSON{
		"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
		"metadata": kubetest.JSON{"name": j.name, "namespace": space, "labels": kaiLabels(j)},
		"spec":     kubetest.JSON{"minMember": j.pods, "queue": ownOrLent(j.class), "priorityClassName": kaiPriority},
	}}}
	for i := range j.pods {
		spec := podSpec(j)
		spec["schedulerName"] = "kai-scheduler"
		all = append(all, made{"/api/v1/namespaces/" + space + "/pods", kubetest.JSON{
			"apiVersion": "v1", "kind": "Pod", "spec": spec,
			"metadata": kubetest.JSON{
				"name": fmt.Sprintf("%s-%d", j.name, i), "namespace": space, "labels": with(kaiLabels(j), ofJob, j.name),
				"annotations": kubetest.JSON{"pod-group-name": j.name, leavesAfter: "1s"},
			},
		}})
	}
	return all
}

// kaiPriority is the class of work that may be evicted, which KAI-Scheduler is installed with.
const kaiPriority = "train"

// startKAI starts KAI-Scheduler's programs. The queue of owned work has all GPUs as its quota,
// that of lent work has none and runs over its quota.
func startKAI(ctx context.Context, b *bed) error {
	if err := kai.kinds(ctx, b, kaiQueues, "/apis/scheduling.run.ai/v2alpha2/podgroups"); err != nil {
		return err
	}
	gpus := b.task.nodes * gpusOfNode
	if err := b.makeAll(ctx,
		made{"/api/v1/namespaces", kubetest.Namespace("kai-scheduler")},
		made{"/api/v1/namespaces", kubetest.Namespace("kai-resource-reservation")},
		made{"/apis/scheduling.k8s.io/v1/priorityclasses", kubetest.JSON{
			"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": kubetest.JSON{"name": kaiPriority}, "value": 50,
		}},
		kaiQueue("all", "", gpus), kaiQueue("owned", "all", gpus), kaiQueue("lent", "all", 0),
	); err != nil {
		return err
	}
	return kaiPrograms(b)
}

func kaiPrograms(b *bed) error {
	quick := []string{"--qps=2000", "--burst=2000"}
	quiet := append([]string{"--metrics-bind-address=0", "--health-probe-bind-address=0"}, quick...)
	for _, p := range []struct {
		name      string
		arguments []string
	}{
		{"queuecontroller", append([]string{"--enable-webhook=false", "--metrics-listen-address=0", "--skip-controller-name-validation"}, quick...)},
		{"podgroupcontroller", append([]string{"--enable-podgroup-webhook=false"}, quiet...)},
		{"podgrouper", quiet},
		{"binder", quiet},
		{"scheduler", append([]string{
			fmt.Sprintf("--listen-address=127.0.0.1:%d", kubetest.FreePort()), fmt.Sprintf("--plugin-server-port=%d", kubetest.FreePort()),
		}, quick...)},
	} {
		if err := kai.run(b, p.name, p.arguments...); err != nil {
			return err
		}
	}
	return nil
}

// kaiQueue is a queue with a quota of GPUs; processors and memory are not counted.
func kaiQueue(name, parent string, gpus int) made {
	unlimited := kubetest.JSON{"quota": -1, "limit": -1, "overQuotaWeight": 1}
	spec := kubetest.JSON{"resources": kubetest.JSON{
		"cpu": unlimited, "memory": unlimited, "gpu": kubetest.JSON{"quota": gpus, "limit": -1, "overQuotaWeight": 1},
	}}
	if parent != "" {
		spec["parentQueue"] = parent
	}
	return made{kaiQueues, kubetest.JSON{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": kubetest.JSON{"name": name}, "spec": spec}}
}
