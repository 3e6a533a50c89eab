package kube

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// seenJob is what the watch keeps of a Job. Its owner need not be asked for then, which
// is a call for each Job of one pod.
type seenJob struct {
	suspendable *translate.Suspendable // nil: Muster does not start it by its suspension
	uid         string
	makes       owner // how many pods
}

// seenJobOf reads a Job. ok is false for one that Muster neither starts nor knows pods of.
func seenJobOf(job *batchv1.Job, o *translate.Options) (out seenJob, ok bool) {
	suspends := job.Spec.Suspend != nil && *job.Spec.Suspend || job.Annotations[translate.AnnotationSuspends] == "true"
	if !suspends && !hasTarget(job) {
		return out, false
	}
	of, err := runtime.DefaultUnstructuredConverter.ToUnstructured(whatIsRead(job, suspends))
	if err != nil {
		return out, false
	}
	u := &unstructured.Unstructured{Object: of}
	u.SetAPIVersion("batch/v1") // a typed object does not say what it is
	u.SetKind("Job")
	if is, may := translate.SuspendableOf(u, o); may {
		out.suspendable = &is
	}
	out.uid, out.makes = string(job.UID), ownerFrom(of)
	return out, true
}

// whatIsRead is a Job without what is not read of it: most of it is who wrote which field, and, where Muster
// does not start it, the template of its pods.
func whatIsRead(job *batchv1.Job, suspends bool) *batchv1.Job {
	is := *job
	is.ManagedFields = nil
	if !suspends {
		is.Spec.Template = corev1.PodTemplateSpec{}
	}
	return &is
}

// hasTarget says whether a Job's pods name a target of Muster's.
func hasTarget(job *batchv1.Job) bool {
	pods := job.Spec.Template
	return pods.Labels[translate.LabelTarget] != "" || pods.Annotations[translate.AnnotationTarget] != ""
}

// sameJob says whether nothing is new of a Job that matters before its pods say so.
func sameJob(was, is seenJob) bool {
	return was.suspendable == nil && is.suspendable == nil && (was.uid == "" || was.makes.size == is.makes.size && was.makes.ending == is.makes.ending)
}

// makerOf is what the watch shows of the Job that made a pod. ok is false where it does not show that very one.
func (x *extras) makerOf(p *translate.Pod) (o owner, ok bool) {
	if p.Owner.Kind != "Job" {
		return owner{}, false
	}
	is, ok := x.jobs.get(translate.Bare(p.Namespace) + "/" + p.Owner.Asked())
	return is.makes, ok && is.uid == p.Owner.UID
}
