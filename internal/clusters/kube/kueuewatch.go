package kube

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// kueueVersions are those of Kueue's objects that are understood, the best first.
var kueueVersions = []string{"v1beta2", "v1beta1"}

// kueueWatch keeps Kueue's objects of a cluster that has Kueue.
type kueueWatch struct {
	queues, locals, flavors, cohorts *kept[*unstructured.Unstructured]
	work                             *kept[kueue.Workload]
}

func newKueueWatch(changed chan<- struct{}, o *translate.Options) *kueueWatch {
	whole := func() *kept[*unstructured.Unstructured] {
		return newKept(changed, func(of any) (*unstructured.Unstructured, bool) {
			u, ok := of.(*unstructured.Unstructured)
			return u, ok
		})
	}
	return &kueueWatch{queues: whole(), locals: whole(), flavors: whole(), cohorts: whole(), work: newKept(changed, func(of any) (kueue.Workload, bool) {
		u, ok := of.(*unstructured.Unstructured)
		if !ok {
			return kueue.Workload{}, false
		}
		return kueue.WorkloadOf(u, o)
	})}
}

// listed says whether the queues were listed once; of the workloads, which not
// everybody may read, nothing is waited for.
func (k *kueueWatch) listed() bool {
	return k.queues.listed() && k.locals.listed() && k.flavors.listed()
}

// kueueVersion is the version in which the cluster has Kueue's objects; "": it has
// none, or cannot say now.
func (c *Client) kueueVersion(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, v := range kueueVersions {
		_, err := c.dynamic.Resource(schema.GroupVersionResource{Group: kueue.Group, Version: v, Resource: "clusterqueues"}).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return v
		}
	}
	return ""
}

// anyListWatch lists and watches objects of a kind that this program has no type of.
func (c *Client) anyListWatch(of schema.GroupVersionResource) cache.ListerWatcher {
	objects := c.dynamic.Resource(of)
	return &cache.ListWatch{
		ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return objects.List(ctx, o) },
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return objects.Watch(ctx, o) },
	}
}

// apply writes an object by server-side apply.
func (c *Client) apply(ctx context.Context, w kueue.Apply) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	data, err := json.Marshal(w.Object)
	if err != nil {
		return err
	}
	yes := true
	_, err = c.dynamic.Resource(schema.GroupVersionResource{Group: kueue.Group, Version: kueueVersions[0], Resource: w.Resource}).
		Patch(ctx, w.Name, types.ApplyPatchType, data, metav1.PatchOptions{FieldManager: kueue.Manager, Force: &yes})
	return err
}
