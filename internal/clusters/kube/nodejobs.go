package kube

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// nodeJob is a Job that runs one pod of a template, on one node alone.
type nodeJob struct {
	name, namespace string
	template        string            // PodTemplate of its namespace
	node            string            // as the cluster calls it
	labels          map[string]string // of the Job and of its pod
	notes           map[string]string // annotations of the Job: whose it is
	tells           map[string]string // annotations of its pod: what it is to do
	lasts           time.Duration     // after that it counts as failed
	kept            time.Duration     // after its end; 0: for ever
}

// podTemplate reads a template that a cluster's people keep.
func (c *Client) podTemplate(ctx context.Context, namespace, name string) (*corev1.PodTemplateSpec, error) {
	var is corev1.PodTemplate
	if err := c.core.Get().Namespace(namespace).Resource("podtemplates").Name(name).Do(ctx).Into(&is); err != nil {
		return nil, fmt.Errorf("PodTemplate %s/%s: %w", namespace, name, err)
	}
	return &is.Template, nil
}

// make makes the Job. Its name says whose it is, so that it is not made twice.
func (j nodeJob) make(ctx context.Context, c *Client, t *corev1.PodTemplateSpec) error {
	job, err := j.object(t)
	if err != nil {
		return err
	}
	_, err = c.dynamic.Resource(owners["Job"]).Namespace(j.namespace).Create(ctx, job, metav1.CreateOptions{FieldManager: "muster"})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// lastsForever tells an error that no second try mends from one of the moment.
func lastsForever(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// object is the Job as it is made: one pod of the template, on the node alone, which bears the
// marks that keep others away.
func (j nodeJob) object(t *corev1.PodTemplateSpec) (*unstructured.Unstructured, error) {
	spec := t.Spec.DeepCopy()
	if spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		spec.RestartPolicy = corev1.RestartPolicyNever
	}
	spec.NodeName, spec.Affinity = "", onlyOn(j.node)
	spec.Tolerations = slices.Concat(spec.Tolerations, bearsMarks())
	pod, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: with(t.Labels, j.labels), Annotations: with(t.Annotations, j.tells)}, Spec: *spec,
	})
	if err != nil {
		return nil, err
	}
	of := map[string]any{
		"backoffLimit": int64(0), "completions": int64(1), "parallelism": int64(1), "activeDeadlineSeconds": int64(j.lasts / time.Second), "template": pod,
	}
	if j.kept > 0 {
		of["ttlSecondsAfterFinished"] = int64(j.kept / time.Second)
	}
	job := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job", "spec": of}}
	job.SetName(j.name)
	job.SetNamespace(j.namespace)
	job.SetLabels(with(j.labels, map[string]string{"app.kubernetes.io/managed-by": "muster"}))
	job.SetAnnotations(with(j.notes, map[string]string{"muster.dev/node": j.node}))
	return job, nil
}

// onlyOn lets a pod run on one node alone.
func onlyOn(node string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
		}}},
	}}
}

// with is a map to which another is added, whose word counts where both have one.
func with(of, more map[string]string) map[string]string {
	all := maps.Clone(of)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, more)
	return all
}

// bearsMarks tolerates what Muster marks nodes with, and cordons.
func bearsMarks() (list []corev1.Toleration) {
	for _, mark := range []string{translate.MarkMaintenance, translate.MarkQuarantined, translate.MarkValidation, translate.MarkProbation} {
		list = append(list, corev1.Toleration{Key: translate.TaintOf(mark), Operator: corev1.TolerationOpExists})
	}
	return append(list, corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists})
}

// jobEnd is how a Job has ended.
type jobEnd struct {
	over, well bool
	says       string // with one that failed: why, in the cluster's words
}

// endOf reads how a Job has ended.
func endOf(job *unstructured.Unstructured) jobEnd {
	if is := conditionIn(job, "Complete"); is["status"] == "True" {
		return jobEnd{over: true, well: true}
	}
	if is := conditionIn(job, "Failed"); is["status"] == "True" {
		return jobEnd{over: true, says: fmt.Sprintf("Job %s/%s: %v", job.GetNamespace(), job.GetName(), is["message"])}
	}
	return jobEnd{}
}

// conditionIn is an object's condition of a type; nil: it has none.
func conditionIn(of *unstructured.Unstructured, kind string) map[string]any {
	list, _, _ := unstructured.NestedSlice(of.Object, "status", "conditions")
	for _, one := range list {
		if is, _ := one.(map[string]any); is["type"] == kind {
			return is
		}
	}
	return nil
}
