package kube

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// deviceWatch keeps what a cluster says of devices (dynamic resource allocation):
// the GPUs that drivers publish, and the claims of pods.
type deviceWatch struct {
	options   *translate.Options
	absent    atomic.Bool // the cluster does not have them, or does not let us see them
	slices    *kept[translate.Slice]
	claims    *kept[*resourcev1.ResourceClaim]
	templates *kept[*resourcev1.ResourceClaimTemplate]
	classes   *kept[*resourcev1.DeviceClass]
}

func newDeviceWatch(changed chan<- struct{}, o *translate.Options) *deviceWatch {
	return &deviceWatch{
		options: o,
		slices: newKept(changed, func(of any) (translate.Slice, bool) {
			s, ok := typed[resourcev1.ResourceSlice](of)
			if !ok {
				return translate.Slice{}, false
			}
			return translate.SliceOf(s, o)
		}),
		claims: newKept(changed, func(of any) (*resourcev1.ResourceClaim, bool) {
			c, ok := typed[resourcev1.ResourceClaim](of)
			if ok {
				c.ManagedFields, c.Annotations, c.Labels = nil, nil, nil
			}
			return c, ok
		}),
		templates: newKept(changed, typed[resourcev1.ResourceClaimTemplate]),
		classes:   newKept(changed, typed[resourcev1.DeviceClass]),
	}
}

// typed reads an object of a kind; ok is false for one that does not look like it.
func typed[T any](of any) (*T, bool) {
	u, ok := of.(*unstructured.Unstructured)
	if !ok {
		return nil, false
	}
	out := new(T)
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out) == nil
}

// settled says whether it is known what devices there are. Before that nodes that
// publish their GPUs in slices alone would look as if they had none.
func (d *deviceWatch) settled() bool {
	return d.absent.Load() || d.slices.listed() && d.claims.listed() && d.templates.listed() && d.classes.listed()
}

// follow finds out whether the cluster has devices, and watches them.
func (d *deviceWatch) follow(ctx context.Context, c *Client) {
	tick := time.NewTicker(heartbeatEvery)
	defer tick.Stop()
	for !d.found(ctx, c) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	if d.absent.Load() {
		return
	}
	var all sync.WaitGroup
	for _, kind := range d.kinds() {
		all.Go(func() {
			name := kind.resource.Resource
			cache.NewReflectorWithOptions(c.anyListWatch(kind.resource), &unstructured.Unstructured{}, kind.store,
				cache.ReflectorOptions{Name: name, TypeDescription: name}).RunWithContext(ctx)
		})
	}
	all.Wait()
}

// deviceKind is one kind of objects that say something of devices, and where they are kept.
type deviceKind struct {
	resource schema.GroupVersionResource
	store    cache.ReflectorStore
}

func (d *deviceWatch) kinds() []deviceKind {
	of := func(name string, store cache.ReflectorStore) deviceKind {
		return deviceKind{schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: name}, store}
	}
	return []deviceKind{
		of("resourceslices", d.slices), of("resourceclaims", d.claims), of("resourceclaimtemplates", d.templates), of("deviceclasses", d.classes),
	}
}

// found asks the cluster whether it has devices, and says whether it answered; absent has the answer.
func (d *deviceWatch) found(ctx context.Context, c *Client) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, kind := range d.kinds() {
		switch _, err := c.dynamic.Resource(kind.resource).List(ctx, metav1.ListOptions{Limit: 1}); {
		case missing(err):
			d.absent.Store(true)
			return true
		case err != nil:
			return false
		}
	}
	return true
}

// count gives nodes and pods the GPUs that slices and claims say.
func (d *deviceWatch) count(p *objects) {
	if d.absent.Load() {
		p.pods = translate.Claimed(p.pods, nil, nil)
		return
	}
	classes := translate.ClassesOf(d.classes.all(), d.options)
	claims, templates := map[string]translate.Claim{}, map[string]translate.Claim{}
	for _, c := range d.claims.all() {
		claims[c.Namespace+"/"+c.Name] = translate.ClaimOf(c, classes, d.options)
	}
	for _, t := range d.templates.all() {
		templates[t.Namespace+"/"+t.Name] = translate.TemplateOf(t, classes)
	}
	translate.Publish(p.nodes, d.slices.all(), d.options)
	p.pods = translate.Claimed(p.pods, claims, templates)
}
