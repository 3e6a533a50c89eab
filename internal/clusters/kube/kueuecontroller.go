package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
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

// followKueue waits until the cluster has Kueue, and then watches its objects.
func (a *Agent) followKueue(ctx context.Context) {
	tick := time.NewTicker(rareBeat)
	defer tick.Stop()
	version := a.client.kueueVersion(ctx)
	for version == "" {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			version = a.client.kueueVersion(ctx)
		}
	}
	var all sync.WaitGroup
	for resource, into := range map[string]cache.ReflectorStore{
		"clusterqueues": a.kueue.queues, "localqueues": a.kueue.locals, "resourceflavors": a.kueue.flavors, "cohorts": a.kueue.cohorts, "workloads": a.kueue.work,
	} {
		all.Go(func() {
			lw := a.client.anyListWatch(schema.GroupVersionResource{Group: kueue.Group, Version: version, Resource: resource})
			cache.NewReflectorWithOptions(lw, &unstructured.Unstructured{}, into, cache.ReflectorOptions{Name: resource, TypeDescription: resource}).RunWithContext(ctx)
		})
	}
	all.Wait()
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

// kueueParts puts what Kueue's objects say to the parts of a picture.
func (a *Agent) kueueParts(p *parts) {
	if !a.kueue.listed() {
		return
	}
	k := translate.Kueue{ClusterQueues: a.kueue.queues.all(), LocalQueues: a.kueue.locals.all(), Flavors: a.kueue.flavors.all()}
	p.quotas, p.queues = k.Quotas(&a.Translate)
}

// grantsOnce takes a grant over from the cluster once: afterwards people change
// here what is assigned, and the cluster is told what of it is backed.
func grantsOnce(s *fleet.State, cluster string, quotas []translate.Quota) (commands []core.Command, problems []translate.Problem) {
	for _, q := range quotas {
		if fleet.TreeOf(q.Path) == fleet.Flex {
			continue
		}
		if s.Quota(q.Path) == nil {
			commands = append(commands, core.CreateQuota{Path: q.Path, Access: access(nil, cluster, q.Namespaces)})
		}
		set, trouble := grantsOf(s, cluster, q)
		problems = append(problems, trouble...)
		for _, c := range set {
			if g, ok := c.(core.SetGrant); ok && s.Partition(g.Partition).Account(q.Path) == nil {
				commands = append(commands, c)
			}
		}
	}
	return commands, problems
}

// writeKueue brings Kueue's quotas to what is backed, and says what it leaves alone.
func (a *Agent) writeKueue(ctx context.Context) []translate.Problem {
	if !a.kueue.listed() || !a.kueue.cohorts.listed() {
		return nil
	}
	is := kueue.Objects{Queues: a.kueue.queues.all(), Cohorts: a.kueue.cohorts.all(), Flavors: a.kueue.flavors.all()}
	var plan kueue.Plan
	a.engine.Read(func(s *fleet.State) { plan = kueue.PlanOf(s, &a.Translate, is) })
	a.mu.Lock()
	a.kueueSays = plan
	a.mu.Unlock()
	for _, w := range plan.Apply {
		switch err := a.client.apply(ctx, w); {
		case err == nil:
			a.Log.Info("writes to Kueue", "cluster", a.Translate.Cluster, "object", w.Resource+"/"+w.Name)
		case apierrors.IsConflict(err): // somebody was faster: the watch shows it, and it is looked at again
		case ctx.Err() == nil:
			a.Log.Warn("Kueue could not be written to, and is tried again", "cluster", a.Translate.Cluster, "object", w.Resource+"/"+w.Name, "why", err)
			plan.Said = append(plan.Said, translate.Problem{Object: strings.TrimSuffix(w.Resource, "s") + "/" + w.Name, Text: "it could not be written: " + translate.Clip(err.Error())})
		}
	}
	return plan.Said
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

// Said is what the cluster's own machinery says of a workload: why Kueue keeps it
// waiting, and where Kueue and Muster do not mean the same.
func (a *Agent) Said(namespace, name, target string) (list []string) {
	if a.kueue == nil {
		return nil
	}
	for _, w := range a.kueue.work.all() {
		if w.Namespace == namespace && w.Owner == name && !w.Over && w.Says != "" {
			list = append(list, fmt.Sprintf("Kueue keeps it in queue %s: %s", w.Queue, w.Says))
		}
	}
	slices.Sort(list)
	a.mu.Lock()
	defer a.mu.Unlock()
	if text := a.kueueSays.ByQuota[target]; text != "" {
		list = append(list, text)
	}
	for _, p := range a.kueueSays.Said {
		if p.Object == "quota/"+target {
			list = append(list, p.Text)
		}
	}
	return list
}
