package kube

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// VisitNamespace is where a cluster's people keep the pod templates of updates, one by the
// name of each update, and where the Jobs of visits run. Muster runs nothing else there, so
// what a Job may do on a node is decided on the cluster.
const VisitNamespace = "muster-maintenance"

// How long the Job of a visit is kept after its end, and how often it may take what its
// update says before it counts as failed.
const (
	keepJobs  = 7 * 24 * time.Hour
	patienceX = 4
)

// VisitJobs carries out updates by a Kubernetes Job for each node.
type VisitJobs struct {
	// Reach is the client of a cluster. A *executor.Refused error says that this server makes no Jobs there; any other one
	// that it cannot be reached now.
	Reach func(cluster string) (*Client, error)
}

var _ executor.Executor = VisitJobs{}

// Find looks the Job of an order up.
func (j VisitJobs) Find(ctx context.Context, o executor.Order) (executor.Report, bool, error) {
	c, err := j.Reach(o.Cluster)
	var no *executor.Refused
	if errors.As(err, &no) {
		return executor.Report{}, false, nil // Begin says so
	}
	if err != nil {
		return executor.Report{}, false, err
	}
	is, err := c.dynamic.Resource(owners["Job"]).Namespace(VisitNamespace).Get(ctx, jobName(o), getOptions)
	if apierrors.IsNotFound(err) {
		return executor.Report{}, false, nil
	}
	if err != nil {
		return executor.Report{}, false, err
	}
	r, err := c.reportOf(ctx, o, is)
	return r, err == nil, err
}

// ProviderID is how the provider of a node calls its machine.
func (j VisitJobs) ProviderID(ctx context.Context, cluster, node string) (string, error) {
	c, err := j.Reach(cluster)
	if err != nil {
		return "", err
	}
	var n corev1.Node
	err = c.core.Get().Resource("nodes").Name(translate.Bare(node)).Do(ctx).Into(&n)
	return n.Spec.ProviderID, err
}

// Begin makes the Job of an order. Its name is the order's, so that it cannot be made twice. A node that is taken out
// of service for it shows that first: its agent writes the mark while the visit is under way already.
func (j VisitJobs) Begin(ctx context.Context, o executor.Order) (executor.Report, error) {
	c, err := j.Reach(o.Cluster)
	if err != nil {
		return executor.Report{}, err
	}
	if shown, err := c.showsVisit(ctx, o); !shown || err != nil {
		return executor.Report{State: executor.Running}, err // it is begun at a later look
	}
	job := visitJobOf(o)
	template, err := c.podTemplate(ctx, job.namespace, job.template)
	if err == nil {
		err = job.make(ctx, c, template)
	}
	if err != nil && lastsForever(err) {
		err = &executor.Refused{Err: err}
	}
	return executor.Report{State: executor.Running}, err
}

// showsVisit says whether the node of an order bears the mark that keeps others off it, if it is to bear one.
func (c *Client) showsVisit(ctx context.Context, o executor.Order) (bool, error) {
	if !o.Takes {
		return true, nil
	}
	var n corev1.Node
	if err := c.core.Get().Resource("nodes").Name(translate.Bare(o.Node)).Do(ctx).Into(&n); err != nil {
		return false, notThere(err)
	}
	mark := translate.TaintOf(translate.MarkMaintenance)
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == mark }), nil
}

// jobName is the name of an order's Job; node names may be longer than a Job's.
func jobName(o executor.Order) string {
	sum := sha256.Sum256([]byte(o.ID))
	return "visit-" + hex.EncodeToString(sum[:10])
}

// visitJobOf is the Job of an order.
func visitJobOf(o executor.Order) nodeJob {
	return nodeJob{
		name: jobName(o), namespace: VisitNamespace, template: o.Update.Name, node: translate.Bare(o.Node),
		notes: map[string]string{"muster.dev/visit": o.ID, "muster.dev/update": o.Update.Name},
		tells: map[string]string{"muster.dev/update": o.Update.Name, "muster.dev/component": o.Update.Component.Name, "muster.dev/version": o.Update.Component.Version},
		lasts: max(leastVisit, patienceX*o.Update.Lasts), kept: keepJobs,
	}
}

// reportOf is what a Job says of its order.
func (c *Client) reportOf(ctx context.Context, o executor.Order, job *unstructured.Unstructured) (executor.Report, error) {
	if job.GetAnnotations()["muster.dev/visit"] != o.ID {
		return executor.Report{State: executor.Failed, Why: "Job " + VisitNamespace + "/" + job.GetName() + " is none that Muster made for this visit"}, nil
	}
	switch end := endOf(job); {
	case !end.over:
		return executor.Report{State: executor.Running}, nil
	case !end.well:
		return executor.Report{State: executor.Failed, Why: end.says}, nil
	}
	runs, err := c.runsOf(ctx, o)
	return executor.Report{State: executor.Done, Runs: runs}, err
}

// runsOf is the version of the update's component that the node's label says, if there is one. Update 580 is there where
// the label says 580.65.06.
func (c *Client) runsOf(ctx context.Context, o executor.Order) ([]fleet.Component, error) {
	var n corev1.Node
	if err := c.core.Get().Resource("nodes").Name(translate.Bare(o.Node)).Do(ctx).Into(&n); err != nil {
		return nil, notThere(err)
	}
	version, said := n.Labels[translate.LabelComponent+o.Update.Component.Name]
	switch {
	case !said:
		return nil, nil
	case sameVersion(o.Update.Component.Version, version):
		version = o.Update.Component.Version
	}
	return []fleet.Component{{Name: o.Update.Component.Name, Version: version}}, nil
}
