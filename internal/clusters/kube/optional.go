package kube

import (
	"context"
	"time"

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
	jobs, jobSets *kept[translate.Suspendable]
	spaces        *kept[string] // enrolled namespaces
}

func newExtras(o *translate.Options, changed chan<- struct{}) extras {
	suspendable := func(of any) (translate.Suspendable, bool) {
		u, ok := of.(*unstructured.Unstructured)
		if !ok {
			return translate.Suspendable{}, false
		}
		return translate.SuspendableOf(u, o)
	}
	return extras{
		jobs: newKept(changed, suspendable), jobSets: newKept(changed, suspendable),
		spaces: newKept(changed, func(of any) (string, bool) {
			n, ok := of.(*corev1.Namespace)
			return n.GetName(), ok && n.Labels[labelEnrolled] == "true"
		}),
	}
}

func (x *extras) suspendable() []translate.Suspendable {
	return append(x.jobs.all(), x.jobSets.all()...)
}

// shows says whether the enrolled namespaces and all objects of a kind that may be
// suspended are known.
func (x *extras) shows(kind string) bool {
	of := map[string]*kept[translate.Suspendable]{"Job": x.jobs, "JobSet": x.jobSets}[kind]
	return of != nil && of.listed() && x.spaces.listed()
}

// enrolled lists the enrolled namespaces; nil: the cluster does not say.
func (x *extras) enrolled() map[string]bool {
	if !x.spaces.listed() {
		return nil
	}
	is := map[string]bool{}
	for _, name := range x.spaces.all() {
		is[name] = true
	}
	return is
}

// run watches until ctx ends. What is not there, or not shown, is asked for now and then.
func (x *extras) run(ctx context.Context, c *Client, all interface{ Go(func()) }) {
	for kind, into := range map[string]*kept[translate.Suspendable]{"Job": x.jobs, "JobSet": x.jobSets} {
		all.Go(func() {
			list := c.anyListWatch(owners[kind])
			whenShown(ctx, list, func() {
				cache.NewReflectorWithOptions(list, &unstructured.Unstructured{}, into, cache.ReflectorOptions{Name: kind}).RunWithContext(ctx)
			})
		})
	}
	all.Go(func() {
		list := c.listWatch("namespaces")
		whenShown(ctx, list, func() {
			cache.NewReflectorWithOptions(list, &corev1.Namespace{}, x.spaces, cache.ReflectorOptions{Name: "namespaces"}).RunWithContext(ctx)
		})
	})
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
