package kube

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// VisitNamespace is where a cluster's people keep the pod templates of updates, one by the
// name of each update, and where the Jobs of visits run. Muster runs nothing else there, so
// what a Job may do on a node is decided on the cluster.
const VisitNamespace = "muster-maintenance"

// labelComponent begins a node's label that says which version of a component it runs.
const labelComponent = "muster.dev/component."

// How long the Job of a visit is kept after its end, and how often it may take what its
// update says before it counts as failed.
const (
	keepJobs  = 7 * 24 * time.Hour
	patienceX = 4
)

// VisitJobs carries out updates by a Kubernetes Job for each node.
type VisitJobs struct {
	// Reach is the client of a cluster; nil: this server may not write there.
	Reach func(cluster string) *Client
}

var _ executor.Executor = VisitJobs{}

// Find looks the Job of an order up.
func (j VisitJobs) Find(ctx context.Context, o executor.Order) (executor.Report, bool, error) {
	c := j.Reach(o.Cluster)
	if c == nil {
		return executor.Report{}, false, nil
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

// Begin makes the Job of an order. Its name is the order's, so that it cannot be made twice.
func (j VisitJobs) Begin(ctx context.Context, o executor.Order) (executor.Report, error) {
	c := j.Reach(o.Cluster)
	if c == nil {
		return executor.Report{}, &executor.Refused{Err: fmt.Errorf("this server makes no Jobs on cluster %s: it must reach it by a kubeconfig, with --manage", o.Cluster)}
	}
	var template corev1.PodTemplate
	if err := c.core.Get().Namespace(VisitNamespace).Resource("podtemplates").Name(o.Update.Name).Do(ctx).Into(&template); err != nil {
		return executor.Report{}, lasting(fmt.Errorf("PodTemplate %s/%s: %w", VisitNamespace, o.Update.Name, err))
	}
	job, err := visitJobOf(o, &template.Template)
	if err != nil {
		return executor.Report{}, &executor.Refused{Err: err}
	}
	_, err = c.dynamic.Resource(owners["Job"]).Namespace(VisitNamespace).Create(ctx, job, metav1.CreateOptions{FieldManager: "muster"})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return executor.Report{}, lasting(err)
	}
	return executor.Report{State: executor.Running}, nil
}

// lasting tells an error that no second try mends from one of the moment.
func lasting(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return &executor.Refused{Err: err}
	}
	return err
}

// jobName is the name of an order's Job; node names may be longer than a Job's.
func jobName(o executor.Order) string {
	sum := sha256.Sum256([]byte(o.ID))
	return "visit-" + hex.EncodeToString(sum[:10])
}

// visitJobOf is the Job of an order: one pod of the template, on the order's node alone, which
// bears the marks that keep others away.
func visitJobOf(o executor.Order, t *corev1.PodTemplateSpec) (*unstructured.Unstructured, error) {
	spec, node := t.Spec.DeepCopy(), translate.Bare(o.Node)
	if spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		spec.RestartPolicy = corev1.RestartPolicyNever
	}
	spec.NodeName, spec.Affinity = "", &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
		}}},
	}}
	spec.Tolerations = slices.Concat(spec.Tolerations, bearsMarks())
	pod, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{
		Labels: t.Labels, Annotations: withNotes(t.Annotations, o),
	}, Spec: *spec})
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{
			"name": jobName(o), "namespace": VisitNamespace, "labels": map[string]any{"app.kubernetes.io/managed-by": "muster"},
			"annotations": map[string]any{"muster.dev/visit": o.ID, "muster.dev/node": node, "muster.dev/update": o.Update.Name},
		},
		"spec": map[string]any{
			"backoffLimit": int64(0), "completions": int64(1), "parallelism": int64(1), "ttlSecondsAfterFinished": int64(keepJobs / time.Second),
			"activeDeadlineSeconds": int64(max(10*time.Minute, patienceX*o.Update.Lasts) / time.Second), "template": pod,
		},
	}}, nil
}

// withNotes are a pod's annotations with what it is to do; its containers may read them by
// the downward API.
func withNotes(notes map[string]string, o executor.Order) map[string]string {
	all := map[string]string{"muster.dev/update": o.Update.Name, "muster.dev/component": o.Update.Component.Name, "muster.dev/version": o.Update.Component.Version}
	for key, text := range notes {
		if _, ours := all[key]; !ours {
			all[key] = text
		}
	}
	return all
}

// bearsMarks tolerates what Muster marks nodes with, and cordons.
func bearsMarks() (list []corev1.Toleration) {
	for _, mark := range []string{translate.MarkMaintenance, translate.MarkQuarantined, translate.MarkValidation, translate.MarkProbation} {
		list = append(list, corev1.Toleration{Key: translate.TaintOf(mark), Operator: corev1.TolerationOpExists})
	}
	return append(list, corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists})
}

// reportOf is what a Job says of its order.
func (c *Client) reportOf(ctx context.Context, o executor.Order, job *unstructured.Unstructured) (executor.Report, error) {
	if job.GetAnnotations()["muster.dev/visit"] != o.ID {
		return executor.Report{State: executor.Failed, Why: "Job " + VisitNamespace + "/" + job.GetName() + " is none that Muster made for this visit"}, nil
	}
	conditions, _, _ := unstructured.NestedSlice(job.Object, "status", "conditions")
	for _, of := range conditions {
		is, _ := of.(map[string]any)
		if is["status"] != "True" {
			continue
		}
		switch is["type"] {
		case "Failed":
			return executor.Report{State: executor.Failed, Why: fmt.Sprintf("Job %s/%s: %v", VisitNamespace, job.GetName(), is["message"])}, nil
		case "Complete":
			runs, err := c.runsOf(ctx, o)
			return executor.Report{State: executor.Done, Runs: runs}, err
		}
	}
	return executor.Report{State: executor.Running}, nil
}

// runsOf is the version of the update's component that the node's label says, if there is one.
func (c *Client) runsOf(ctx context.Context, o executor.Order) ([]fleet.Component, error) {
	var n corev1.Node
	if err := c.core.Get().Resource("nodes").Name(translate.Bare(o.Node)).Do(ctx).Into(&n); err != nil {
		return nil, notThere(err)
	}
	version, said := n.Labels[labelComponent+o.Update.Component.Name]
	if !said {
		return nil, nil
	}
	return []fleet.Component{{Name: o.Update.Component.Name, Version: version}}, nil
}
