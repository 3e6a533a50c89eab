package translate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// AnnotationSuspends says on a Job or a JobSet that Muster starts it by taking its
// suspension back, and evicts it by suspending it again.
const AnnotationSuspends = "muster.dev/by-suspending"

// Suspendable is a Job or a JobSet that is, or was, suspended until Muster starts it.
type Suspendable struct {
	Kind, Namespace, Name, UID string
	Suspended                  bool
	Pods                       []Picture // as its controller would make them, gated
	Done                       []string  // parts all of whose Jobs have ended well
	Problems                   []Problem
}

// mostVirtual is how many pods of one suspended object are pictured: a pool's size
// is said by its owner, so that more are not needed to tell its shape.
const mostVirtual = 20_000

// SuspendableOf reads a Job or a JobSet. ok is false for one that is not Muster's to
// start. It is not suspended and Muster has not started it, or it is part of something
// else, or another queue has it, or its pods ask for no GPU or have no target.
func SuspendableOf(u *unstructured.Unstructured, o *Options) (s Suspendable, ok bool) {
	s = Suspendable{Kind: u.GetKind(), Namespace: o.Called(u.GetNamespace()), Name: u.GetName(), UID: string(u.GetUID())}
	s.Suspended, _, _ = unstructured.NestedBool(u.Object, "spec", "suspend")
	if o.strange(u.GetNamespace()) || !s.Suspended && u.GetAnnotations()[AnnotationSuspends] != "true" || u.GetLabels()["kueue.x-k8s.io/queue-name"] != "" {
		return s, false
	}
	if of := metav1.GetControllerOfNoCopy(u); of != nil && of.Kind != "CronJob" {
		return s, false
	}
	switch s.Kind {
	case "Job":
		spec, _, _ := unstructured.NestedMap(u.Object, "spec")
		s.picture(u, "", 1, JobSize(spec, asMap(u.Object["status"])), spec, o)
	case "JobSet":
		jobs, _, _ := unstructured.NestedSlice(u.Object, "spec", "replicatedJobs")
		for _, job := range jobs {
			name, _, _ := unstructured.NestedString(asMap(job), "name")
			spec, _, _ := unstructured.NestedMap(asMap(job), "template", "spec")
			left := countOf(asMap(job), "replicas", 1) - finishedJobs(u, name)
			if left <= 0 {
				s.Done = append(s.Done, name)
			}
			s.picture(u, name, max(0, left), JobSize(spec, nil), spec, o)
		}
	}
	return s, len(s.Pods) > 0
}

// JobSize is how many pods a Job still has at one time at most, by its spec and its
// status: its parallelism, or less where fewer are left to finish.
func JobSize(spec, status map[string]any) int {
	size := countOf(spec, "parallelism", 1)
	if all := countOf(spec, "completions", 0); all > 0 {
		size = min(size, max(0, all-countOf(status, "succeeded", 0)))
	}
	return size
}

// finishedJobs is how many Jobs of a part of a JobSet have ended well.
func finishedJobs(u *unstructured.Unstructured, part string) int {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "replicatedJobsStatus")
	for _, of := range list {
		if asMap(of)["name"] == part {
			return countOf(asMap(of), "succeeded", 0)
		}
	}
	return 0
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func countOf(of map[string]any, field string, otherwise int) int {
	if n, ok, _ := unstructured.NestedInt64(of, field); ok && n >= 0 && n <= mostReplicas {
		return int(n)
	}
	return otherwise
}

// picture adds the pods that so many Jobs of a template would have at one time, each
// of them so many.
func (s *Suspendable) picture(u *unstructured.Unstructured, part string, replicas, each int, spec map[string]any, o *Options) {
	template, _, _ := unstructured.NestedMap(spec, "template")
	var p corev1.Pod
	if err := TemplateInto(template, &p); err != nil {
		s.Problems = append(s.Problems, Problem{lowerKind(s.Kind) + "/" + s.Namespace + "/" + s.Name, fmt.Sprintf("the template of its pods cannot be read: %.200s", err.Error())})
		return
	}
	p.Namespace, p.UID, p.CreationTimestamp = u.GetNamespace(), "", u.GetCreationTimestamp()
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: Gate}}
	yes := true
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: u.GetAPIVersion(), Kind: s.Kind, Name: s.Name, UID: u.GetUID(), Controller: &yes}}
	if s.Kind == "JobSet" {
		if p.Labels == nil {
			p.Labels = map[string]string{}
		}
		p.Labels["jobset.sigs.k8s.io/jobset-name"], p.Labels["jobset.sigs.k8s.io/replicatedjob-name"], p.Labels[jobSetUID] = s.Name, part, s.UID
	}
	is, ok := PodOf(&p, o)
	if !ok || is.Wishes.Target == "" {
		return
	}
	is.Virtual, is.Owner.Size = true, min(each*replicas, mostReplicas)
	is.Made.Author = "" // it is not made yet, and a template says what anyone has written
	if count := min(each*replicas, mostVirtual); count > 0 {
		s.Pods = append(s.Pods, Picture{Like: is, Count: count, name: s.Name + "-" + firstOf(part, "pod") + "-", uid: s.UID + "/" + part + "/", numbered: true})
	}
}

func lowerKind(kind string) string {
	if kind == "Job" {
		return "job"
	}
	return "jobset"
}
