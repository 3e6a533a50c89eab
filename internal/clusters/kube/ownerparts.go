package kube

import (
	"context"
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// This file reads of owners what their pods do not say: which parts have finished, and
// which pods are not made yet. Those are pictured as long as nothing of their workload was
// started: so it is submitted whole, however slowly its controller makes them. Where some
// are made only once others run, their room is kept, and they start when they are made.

// readOwner reads what is of several parts beyond its size.
func (c *ownerController) readOwner(ctx context.Context, p *translate.Pod, is *owner, again bool) error {
	of := is.object
	is.object = nil
	switch p.Owner.Kind {
	case lwsKind:
		crew := translate.CrewOf(of, p, &c.Translate)
		is.group, is.staged = crew.Size, crew.Pods
	case "RayCluster", "MPIJob":
		is.staged = translate.Pictured(of, p, &c.Translate)
	case "JobSet":
		is.staged = translate.Pictured(of, p, &c.Translate)
		if !again && !someFinished(of) {
			return nil // all of it is to be made yet
		}
		jobs, err := c.client.jobsOf(ctx, p.Namespace, p.Owner.Name)
		if err != nil {
			return err
		}
		is.sizes, is.counted = translate.JobSetSizes(of, jobs), true
		is.staged = atMost(is.staged, is.sizes)
	}
	return nil
}

// mostStaged is how many pods of a namespace's owners are pictured. A LeaderWorkerSet of a kilobyte may have a hundred
// groups of twenty thousand pods.
const mostStaged = 20_000

// withinRoom are the pods that are pictured of an owner: all, where its namespace has not many already, else one of each
// kind, which says how many there are.
func (c *ownerController) withinRoom(is owner) []translate.Pod {
	n := len(is.staged)
	for _, other := range c.owners {
		if other.namespace == is.namespace {
			n += len(other.staged)
		}
	}
	if n <= mostStaged {
		return is.staged
	}
	seen := map[string]bool{}
	var list []translate.Pod
	for _, p := range is.staged { // a new list: a part of the old one would keep all of it
		kind := p.Owner.Pool + "/" + strconv.Itoa(p.GPUs)
		if !seen[kind] {
			list = append(list, p)
		}
		seen[kind] = true
	}
	return list
}

// atMost leaves so many pods of each part.
func atMost(pods []translate.Pod, sizes map[string]int) []translate.Pod {
	left := maps.Clone(sizes)
	return slices.DeleteFunc(pods, func(p translate.Pod) bool {
		left[p.Owner.Pool]--
		return left[p.Owner.Pool] < 0
	})
}

// someFinished says whether Jobs of a JobSet have ended well.
func someFinished(of *unstructured.Unstructured) bool {
	status, _ := of.Object["status"].(map[string]any)
	return slices.ContainsFunc(listIn(status, "replicatedJobsStatus"), func(part map[string]any) bool {
		n, _ := number(part["succeeded"])
		return n > 0
	})
}

// jobsOf lists the Jobs of a JobSet.
func (c *Client) jobsOf(ctx context.Context, namespace, jobSet string) ([]unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := c.dynamic.Resource(owners["Job"]).Namespace(translate.Bare(namespace)).List(ctx, metav1.ListOptions{LabelSelector: "jobset.sigs.k8s.io/jobset-name=" + jobSet})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// done says whether nothing of a part is left: all of its Jobs have ended.
func (o *owner) done(part string) bool {
	n, known := o.sizes[part]
	return o.counted && known && n == 0
}

// unmade lists the pods that owners will make, where nothing of their workload runs yet:
// so the workload is known whole, and all of it waits.
func (c *ownerController) unmade(pods []translate.Pod) (list []translate.Pod) {
	type workload = [2]string
	var order []workload
	of := map[workload][]translate.Pod{} // as its owner would make them
	for i := range pods {
		p := &pods[i]
		if !p.Gated || p.Wishes.Workload != "" || p.Owner.Kind != lwsKind && !p.Owner.Parts() || of[p.Workload()] != nil {
			continue
		}
		if all := c.owners[ownerKey(p)].staged; len(all) > 0 {
			of[p.Workload()] = all
			order = append(order, p.Workload())
		}
	}
	if len(order) == 0 {
		return nil
	}
	there, runs := map[workload][]*translate.Pod{}, map[workload]bool{}
	for i := range pods {
		if p := &pods[i]; !p.Over && of[p.Workload()] != nil {
			there[p.Workload()] = append(there[p.Workload()], p)
			runs[p.Workload()] = runs[p.Workload()] || !p.Gated || p.Leaving
		}
	}
	for _, key := range order {
		if !runs[key] {
			list = append(list, notMade(of[key], there[key])...)
		}
	}
	return list
}

// notMade lists those of an owner's pods that are not there. The pods of a part are
// alike, except that a leader differs from its workers.
func notMade(all []translate.Pod, there []*translate.Pod) (list []translate.Pod) {
	same := func(p *translate.Pod) string {
		if p.Owner.Kind == lwsKind {
			return strconv.Itoa(p.Index)
		}
		return p.Owner.Pool
	}
	made := map[string]int{}
	for _, p := range there {
		made[same(p)]++
	}
	for i := range all {
		if key := same(&all[i]); made[key] > 0 {
			made[key]--
		} else {
			list = append(list, all[i])
		}
	}
	return list
}
