package kube

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// authorController finds out who made the work that is new: the user whom the API server saw, as
// deploy/kubernetes/author.yaml has it written on what people make themselves. A pod, a ReplicaSet and
// so on that a controller made names no author: then what made it is asked, up to an object that does.
type authorController struct {
	*shared
	absent fleet.Instant // until then the policy is taken not to be there
	seen   map[changed]fleet.Instant

	mu     sync.Mutex
	makers map[string]translate.Made // by UID; that of an object never changes
}

// makers are the kinds whose author counts for what they make: those that the policy guards.
var makers = map[schema.GroupKind]string{ // their versions
	{Group: "", Kind: "Pod"}:                                     "v1",
	{Group: "batch", Kind: "Job"}:                                "v1",
	{Group: "batch", Kind: "CronJob"}:                            "v1",
	{Group: "apps", Kind: "ReplicaSet"}:                          "v1",
	{Group: "apps", Kind: "Deployment"}:                          "v1",
	{Group: "apps", Kind: "StatefulSet"}:                         "v1",
	{Group: "jobset.x-k8s.io", Kind: "JobSet"}:                   "v1alpha2",
	{Group: "leaderworkerset.x-k8s.io", Kind: "LeaderWorkerSet"}: "v1",
	{Group: "ray.io", Kind: "RayCluster"}:                        "v1",
	{Group: "ray.io", Kind: "RayJob"}:                            "v1",
	{Group: "ray.io", Kind: "RayService"}:                        "v1",
	{Group: "kubeflow.org", Kind: "MPIJob"}:                      "v2beta1",
	{Group: "trainer.kubeflow.org", Kind: "TrainJob"}:            "v1alpha1",
}

const (
	mostMakers = 20_000 // that are remembered
	mostLinks  = 8      // from a pod to what a person made
)

// find writes down the authors of a snapshot's work that the state does not know yet. What cannot be
// found out holds no work up: its author is not known.
func (c *authorController) find(ctx context.Context, p *Snapshot) {
	fresh := c.fresh(p.Work)
	if len(fresh) == 0 {
		return
	}
	since, ok := c.inForce(ctx) // asked after the work was seen: so the policy was there all the time between
	if !ok {
		return
	}
	calls := make([]func() error, len(fresh))
	for i, w := range fresh {
		calls[i] = func() (err error) {
			w.Author, err = c.authorOf(ctx, w.Namespace, w.Made, since)
			return err
		}
	}
	c.atOnce(ctx, calls)
}

// fresh lists the work that is not submitted yet, or has ended and came again.
func (c *authorController) fresh(work []translate.Work) (list []*translate.Work) {
	c.engine.Read(func(s *fleet.State) {
		for i := range work {
			if w := s.Workload(work[i].Namespace, work[i].Name); w == nil || w.State.Ended() {
				list = append(list, &work[i])
			}
		}
	})
	return list
}

// authorOf follows an object to the one that a person made, and is the author that it names; "": none is
// known. Every object on the way must have been made under the policy, for an earlier one may say anything.
func (c *authorController) authorOf(ctx context.Context, namespace string, of translate.Made, since fleet.Instant) (author string, err error) {
	for range mostLinks {
		if of.At < since {
			return "", nil
		}
		if of.Author != "" || of.By.UID == "" {
			return of.Author, nil
		}
		if of, err = c.maker(ctx, namespace, of.By); err != nil {
			return "", err
		}
	}
	return "", nil
}

// maker reads how an object came to be that made another. The zero value: that is not known.
func (c *authorController) maker(ctx context.Context, namespace string, by translate.Maker) (translate.Made, error) {
	c.mu.Lock()
	is, known := c.makers[by.UID]
	c.mu.Unlock()
	kind := schema.GroupKind{Group: by.Group, Kind: by.Kind}
	if version := makers[kind]; !known && version != "" {
		of, err := c.client.makerOf(ctx, resourceOf(kind, version), namespace, by.Name)
		if err != nil || of == nil || string(of.GetUID()) != by.UID { // another of its name says nothing
			return translate.Made{}, err
		}
		is = translate.MadeOf(of)
		c.keep(by.UID, is)
	}
	return is, nil
}

func (c *authorController) keep(uid string, is translate.Made) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.makers == nil || len(c.makers) >= mostMakers {
		c.makers = map[string]translate.Made{}
	}
	c.makers[uid] = is
}

// resourceOf is where objects of a kind are read.
func resourceOf(kind schema.GroupKind, version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: kind.Group, Version: version, Resource: lower(kind.Kind) + "s"}
}

// makerOf asks for an object that makes others; nil: it is not there, or not shown.
func (c *Client) makerOf(ctx context.Context, of schema.GroupVersionResource, namespace, name string) (*unstructured.Unstructured, error) {
	return lookUp(ctx, c.dynamic.Resource(of).Namespace(translate.Bare(namespace)), name)
}

// lookUp asks for an object; nil: it is not there, or not shown.
func lookUp(ctx context.Context, in dynamic.ResourceInterface, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	is, err := in.Get(ctx, name, getOptions)
	if missing(err) {
		return nil, nil
	}
	return is, err
}
