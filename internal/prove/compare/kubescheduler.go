package main

import (
	"context"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// priorities are the PriorityClasses by which kube-scheduler lets owned work take the room of lent work.
var priorities = map[class]string{open: "", lent: "compare-lent", owned: "compare-owned"}

// plainScheduler is kube-scheduler as it is: each pod by itself.
var plainScheduler = way{
	key: "kube", name: "kube-scheduler", parts: []string{"kube-scheduler"},
	lacks: here, version: controlPlane, start: withPriorities, make: batches(prioritised),
}

// gates are the feature gates of gang scheduling that are off in 1.36.
const gates = "--feature-gates=GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=true"

// gangScheduler is kube-scheduler with its own gangs. Their PodGroups are made beside the Jobs:
// the Job controller can make them (WorkloadWithJob), but gives them no priority, and a gang
// without one preempts none.
var gangScheduler = way{
	key: "kube-gang", name: "kube-scheduler, its own gangs", parts: []string{"kube-scheduler"},
	more: map[string][]string{
		"kube-apiserver":          {gates, "--runtime-config=scheduling.k8s.io/v1alpha2=true"},
		"kube-controller-manager": {gates},
		"kube-scheduler":          {gates},
	},
	lacks: here, version: controlPlane, start: withPriorities, make: gangObjects,
}

// gangObjects are Jobs; those of several pods have a PodGroup, which is preempted whole.
func gangObjects(_ *bed, list []job) (all []made) {
	for _, j := range list {
		d := prioritised(j)
		if j.pods > 1 {
			all = append(all, podGroup(j))
			d.spec = with(d.spec, "schedulingGroup", kubetest.JSON{"podGroupName": j.name})
		}
		all = append(all, d.object(j))
	}
	return all
}

func podGroup(j job) made {
	spec := kubetest.JSON{"schedulingPolicy": kubetest.JSON{"gang": kubetest.JSON{"minCount": j.pods}}, "disruptionMode": "PodGroup"}
	if name := priorities[j.class]; name != "" {
		spec["priorityClassName"] = name
	}
	return made{"/apis/scheduling.k8s.io/v1alpha2/namespaces/" + space + "/podgroups", kubetest.JSON{
		"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": kubetest.JSON{"name": j.name, "namespace": space}, "spec": spec,
	}}
}

func controlPlane(options) string { return kubetest.Version }

// prioritised is a Job by its class alone.
func prioritised(j job) (d batch) {
	if name := priorities[j.class]; name != "" {
		d.spec = kubetest.JSON{"priorityClassName": name}
	}
	return d
}

// withPriorities makes the PriorityClasses.
func withPriorities(ctx context.Context, b *bed) error {
	return b.makeAll(ctx, priorityClass(lent, 100, "Never"), priorityClass(owned, 1000, "PreemptLowerPriority"))
}

func priorityClass(of class, value int, preempts string) made {
	return made{"/apis/scheduling.k8s.io/v1/priorityclasses", kubetest.JSON{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": kubetest.JSON{"name": priorities[of]},
		"value": value, "preemptionPolicy": preempts,
	}}
}
