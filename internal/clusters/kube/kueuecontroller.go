package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// kueueController reads the queues of a cluster that has Kueue, and writes backed quota
// to them where that was asked for.
type kueueController struct {
	*shared
	objects *kueueWatch

	mu    sync.Mutex
	asked objects    // what Kueue said when it was asked last
	plan  kueue.Plan // what was planned for Kueue last
}

// follow waits until the cluster has Kueue, and then watches its objects.
func (c *kueueController) follow(ctx context.Context) {
	tick := time.NewTicker(rareHeartbeatEvery)
	defer tick.Stop()
	version := c.client.kueueVersion(ctx)
	for version == "" {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			version = c.client.kueueVersion(ctx)
		}
	}
	var all sync.WaitGroup
	for resource, into := range map[string]cache.ReflectorStore{
		"clusterqueues": c.objects.queues, "localqueues": c.objects.locals, "resourceflavors": c.objects.flavors, "cohorts": c.objects.cohorts, "workloads": c.objects.work,
	} {
		all.Go(func() {
			lw := c.client.anyListWatch(schema.GroupVersionResource{Group: kueue.Group, Version: version, Resource: resource})
			cache.NewReflectorWithOptions(lw, &unstructured.Unstructured{}, into, cache.ReflectorOptions{Name: resource, TypeDescription: resource}).RunWithContext(ctx)
		})
	}
	all.Wait()
}

// quotas are what Kueue's objects say: the quotas, and by namespace/name the paths of
// the local queues' quotas.
func (c *kueueController) quotas() ([]translate.Quota, map[string]string) {
	if c.objects.listed() {
		k := translate.Kueue{ClusterQueues: c.objects.queues.all(), LocalQueues: c.objects.locals.all(), Flavors: c.objects.flavors.all(), Namespaces: c.watch.extras.namespaces()}
		return k.Quotas(&c.Translate)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked.quotas, c.asked.queues
}

// write brings Kueue's quotas to what is backed, and says what it leaves alone.
func (c *kueueController) write(ctx context.Context) []translate.Problem {
	if !c.objects.listed() || !c.objects.cohorts.listed() {
		return nil
	}
	is := kueue.Objects{Queues: c.objects.queues.all(), Cohorts: c.objects.cohorts.all(), Flavors: c.objects.flavors.all()}
	var plan kueue.Plan
	c.engine.Read(func(s *fleet.State) { plan = kueue.PlanOf(s, &c.Translate, is) })
	c.mu.Lock()
	c.plan = plan
	c.mu.Unlock()
	for _, w := range plan.Apply {
		switch err := c.client.apply(ctx, w); {
		case err == nil:
			c.Log.Info("writes to Kueue", "cluster", c.Translate.Cluster, "object", w.Resource+"/"+w.Name)
		case apierrors.IsConflict(err): // another writer was faster: the watch shows that, and the next round compares again
		case ctx.Err() == nil:
			c.Log.Warn("Kueue could not be written to, and is tried again", "cluster", c.Translate.Cluster, "object", w.Resource+"/"+w.Name, "why", err)
			plan.Said = append(plan.Said, translate.Problem{Object: strings.TrimSuffix(w.Resource, "s") + "/" + w.Name, Text: "it could not be written: " + translate.Clip(err.Error())})
		}
	}
	return plan.Said
}

// said is what Kueue says of a workload, and where it and Muster do not mean the same.
func (c *kueueController) said(namespace, name, target string) (list []string) {
	for _, w := range c.objects.work.all() {
		if w.Namespace == namespace && w.Owner == name && !w.Over && w.Says != "" {
			list = append(list, fmt.Sprintf("Kueue keeps it in queue %s: %s", w.Queue, w.Says))
		}
	}
	slices.Sort(list)
	c.mu.Lock()
	defer c.mu.Unlock()
	if text := c.plan.ByQuota[target]; text != "" {
		list = append(list, text)
	}
	for _, p := range c.plan.Said {
		if p.Object == "quota/"+target {
			list = append(list, p.Text)
		}
	}
	return list
}

// ask reads Kueue's queues, where the cluster has them.
func (c *kueueController) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const group = "kueue.x-k8s.io"
	var k translate.Kueue
	var err error
	for _, kind := range []struct {
		resource string
		into     *[]*unstructured.Unstructured
	}{{"clusterqueues", &k.ClusterQueues}, {"localqueues", &k.LocalQueues}, {"resourceflavors", &k.Flavors}} {
		if *kind.into, err = c.client.listAny(ctx, group, kind.resource, "v1beta2", "v1beta1"); err != nil {
			c.Log.Warn("Kueue's queues could not be read", "cluster", c.Translate.Cluster, "why", err)
			return
		}
	}
	k.Namespaces = c.watch.extras.namespaces()
	quotas, queues := k.Quotas(&c.Translate)
	c.mu.Lock()
	c.asked.quotas, c.asked.queues = quotas, queues
	c.mu.Unlock()
}
