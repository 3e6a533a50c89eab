package main

import (
	"context"
	"slices"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// way is one way to have Jobs run.
type way struct {
	key, name string
	more      map[string][]string               // arguments of the control plane's programs besides their own
	only      []string                          // the tasks that it can do; none: all
	parts     []string                          // the programs whose processor time and memory count as the scheduler's
	lacks     func(o options) error             // why it cannot be measured here; nil: it can
	version   func(o options) string            // of what is measured
	start     func(context.Context, *bed) error // starts its programs, and makes its queues
	make      func(b *bed, list []job) []made   // the objects of Jobs, as its users write them
}

func (w way) keyword() string { return w.key }

// does says whether a way can do a task.
func (w way) does(task string) bool { return len(w.only) == 0 || slices.Contains(w.only, task) }

// made is an object to be made, and where.
type made struct {
	path   string
	object kubetest.JSON
}

// ways are measured in this order. The first is what the others are compared with.
var ways = []way{
	plainScheduler, gangScheduler, musterDirect, musterWritten, musterThrough, kueueWay, volcanoWay, kaiWay, noScheduler, bindsOnly,
}

// space is the namespace in which everything runs.
const space = "oak"

const jobsPath = "/apis/batch/v1/namespaces/" + space + "/jobs"

// Labels of pods: the Job of a task that they are of.
const ofJob = "compare-job"

// grace is how long a pod of lent work takes to leave, in seconds.
const grace = 1

// batch is a Job, dressed by its way: labels and notes of the Job, and those of its pods.
type batch struct {
	labels, notes       map[string]any
	podLabels, podNotes map[string]any
	spec                kubetest.JSON // of the pods, besides what they ask for
	suspend             bool
}

// object is the Job's.
func (d batch) object(j job) made {
	pod := podSpec(j)
	for name, value := range d.spec {
		pod[name] = value
	}
	pod["restartPolicy"] = "Never"
	spec := kubetest.JSON{
		"parallelism": j.pods, "completions": j.pods, "completionMode": "Indexed", "backoffLimit": 1000,
		"template": kubetest.JSON{
			"metadata": kubetest.JSON{"labels": with(d.podLabels, ofJob, j.name), "annotations": with(d.podNotes, leavesAfter, "1s")},
			"spec":     pod,
		},
	}
	if d.suspend {
		spec["suspend"] = true
	}
	return made{jobsPath, kubetest.JSON{
		"apiVersion": "batch/v1", "kind": "Job", "spec": spec,
		"metadata": kubetest.JSON{"name": j.name, "namespace": space, "labels": d.labels, "annotations": d.notes},
	}}
}

// leavesAfter is the annotation by which kwok lets a pod take its time to leave.
const leavesAfter = "test.muster.dev/leaves-after"

func podSpec(j job) kubetest.JSON {
	spec := kubetest.PodSpec(j.gpus)
	spec["terminationGracePeriodSeconds"] = grace
	return spec
}

// with is a map with one entry more.
func with(m map[string]any, key string, value any) map[string]any {
	all := map[string]any{key: value}
	for k, v := range m {
		all[k] = v
	}
	return all
}

// batches dresses each Job by itself.
func batches(dress func(j job) batch) func(*bed, []job) []made {
	return func(_ *bed, list []job) (all []made) {
		for _, j := range list {
			all = append(all, dress(j).object(j))
		}
		return all
	}
}

// here says that nothing is lacking.
func here(options) error { return nil }
