package kube

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// This file watches kinds that a cluster may not have, or not show.

// LabelEnrolled is on namespaces whose pods wait for Muster.
const labelEnrolled = "muster.dev/enrolled"

// lookAgain is after how long a kind is asked for again that was not there, or not shown.
const lookAgain = 20 * time.Second

// extras are what a cluster shows besides nodes, pods and quotas, where it does.
type extras struct {
	jobs    *kept[seenJob]
	jobSets *kept[translate.Suspendable]
	spaces  *kept[space]
}

// space is a namespace.
type space struct {
	name   string
	labels map[string]string
}

func newExtras(o *translate.Options, changed chan<- struct{}) extras {
	jobs := newKept(changed, func(of any) (seenJob, bool) {
		job, ok := of.(*batchv1.Job)
		if !ok {
			return seenJob{}, false
		}
		return seenJobOf(job, o)
	})
	jobs.same = sameJob
	return extras{
		jobs: jobs,
		jobSets: newKept(changed, func(of any) (translate.Suspendable, bool) {
			u, ok := of.(*unstructured.Unstructured)
			if !ok {
				return translate.Suspendable{}, false
			}
			return translate.SuspendableOf(u, o)
		}),
		spaces: newKept(changed, func(of any) (space, bool) {
			n, ok := of.(*corev1.Namespace)
			return space{n.GetName(), n.GetLabels()}, ok
		}),
	}
}

func (x *extras) suspendable() []translate.Suspendable {
	list := x.jobSets.all()
	for _, job := range x.jobs.all() {
		if job.suspendable != nil {
			list = append(list, *job.suspendable)
		}
	}
	return list
}

// shows says whether the enrolled namespaces and all objects of a kind that may be
// suspended are known.
func (x *extras) shows(kind string) bool {
	of, known := map[string]func() bool{"Job": x.jobs.listed, "JobSet": x.jobSets.listed}[kind]
	return known && of() && x.spaces.listed()
}

// enrolled lists the enrolled namespaces; nil: the cluster does not say.
func (x *extras) enrolled() map[string]bool {
	if !x.spaces.listed() {
		return nil
	}
	is := map[string]bool{}
	for _, n := range x.spaces.all() {
		if n.labels[labelEnrolled] == "true" {
			is[n.name] = true
		}
	}
	return is
}

// namespaces are the labels of all namespaces, by name; nil: the cluster does not say.
func (x *extras) namespaces() map[string]map[string]string {
	if !x.spaces.listed() {
		return nil
	}
	is := map[string]map[string]string{}
	for _, n := range x.spaces.all() {
		is[n.name] = n.labels
	}
	return is
}

// run watches until ctx ends. What is not there, or not shown, is asked for now and then.
func (x *extras) run(ctx context.Context, c *Client, all interface{ Go(func()) }) {
	watch := func(name string, list cache.ListerWatcher, kind any, into cache.ReflectorStore) {
		all.Go(func() {
			whenShown(ctx, list, func() {
				cache.NewReflectorWithOptions(list, kind, into, cache.ReflectorOptions{Name: name}).RunWithContext(ctx)
			})
		})
	}
	watch("jobs", listWatch(c.batch, "jobs"), &batchv1.Job{}, x.jobs)
	watch("jobsets", c.anyListWatch(owners["JobSet"]), &unstructured.Unstructured{}, x.jobSets)
	watch("namespaces", c.listWatch("namespaces"), &corev1.Namespace{}, x.spaces)
}

// whenShown begins to watch as soon as a list of one object succeeds.
func whenShown(ctx context.Context, list cache.ListerWatcher, begin func()) {
	for {
		soon, cancel := context.WithTimeout(ctx, patience)
		_, err := cache.ToListerWatcherWithContext(list).ListWithContext(soon, metav1.ListOptions{Limit: 1})
		cancel()
		if err == nil {
			begin()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookAgain):
		}
	}
}
