package translate

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// This file is about owners that make some of their pods only once others run. Those
// are pictured, so that the workload is known whole before any of it starts, and the
// first start in the room that all of it was given.

// lwsExclusive is on pods of a LeaderWorkerSet whose workers follow their leader: they
// are made once it is bound.
const lwsExclusive = "leaderworkerset.sigs.k8s.io/exclusive-topology"

// Crew is what a LeaderWorkerSet says of each of its groups.
type Crew struct {
	Size   int   // pods that ask for GPUs; 0: it is not said
	Staged bool  // the workers are made once their leader runs
	Pods   []Pod // as they would be made, gated, where they are staged
}

// CrewOf reads the group of a LeaderWorkerSet that a pod is of.
func CrewOf(u *unstructured.Unstructured, of *Pod, o *Options) (g Crew) {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	shape := asMap(spec["leaderWorkerTemplate"])
	size := countOf(shape, "size", 1)
	worker := asMap(shape["workerTemplate"])
	leader := worker
	if is, ok := shape["leaderTemplate"].(map[string]any); ok {
		leader = is
	}
	startup, _ := spec["startupPolicy"].(string)
	g.Staged = startup == "LeaderReady" || u.GetAnnotations()[lwsExclusive] != ""
	for i := range min(size, mostVirtual) {
		template := worker
		if i == 0 {
			template = leader
		}
		p, ok := virtualPod(u, of.Workload()[1]+"-"+strconv.Itoa(i), template, of, o)
		if ok {
			p.Index = i
			g.Pods = append(g.Pods, p)
		}
	}
	g.Size = len(g.Pods)
	for i := range g.Pods {
		g.Pods[i].Owner.Size = g.Size
	}
	if !g.Staged {
		g.Pods = nil
	}
	return g
}

// virtualPod is a pod that would be made of a template for the same whole as another
// one. ok is false for one that asks for no GPU.
func virtualPod(u *unstructured.Unstructured, name string, template map[string]any, like *Pod, o *Options) (is Pod, ok bool) {
	var p corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(template, &p); err != nil {
		return Pod{}, false
	}
	p.Namespace, p.Name, p.CreationTimestamp = u.GetNamespace(), name, metav1.Time{}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: Gate}}
	if is, ok = PodOf(&p, o); !ok {
		return Pod{}, false
	}
	is.UID, is.Created, is.Owner = string(u.GetUID())+"/"+name, like.Created, like.Owner
	is.Virtual, is.Problems = true, nil
	return is, true
}

// Staged lists the pods of the parts of a JobSet that are made only once others run, or
// have ended, as they would be made: gated. like is a pod of it.
func Staged(u *unstructured.Unstructured, like *Pod, o *Options) (list []Pod) {
	jobs, _, _ := unstructured.NestedSlice(u.Object, "spec", "replicatedJobs")
	order, _, _ := unstructured.NestedString(u.Object, "spec", "startupPolicy", "startupPolicyOrder")
	waits := order == "InOrder" && len(jobs) > 1
	for _, job := range jobs {
		waits = waits || asMap(job)["dependsOn"] != nil
	}
	if !waits {
		return nil
	}
	for _, job := range jobs {
		name, _ := asMap(job)["name"].(string)
		spec, _, _ := unstructured.NestedMap(asMap(job), "template", "spec")
		left := countOf(asMap(job), "replicas", 1) - finishedJobs(u, name)
		size := max(0, left) * JobSize(spec, nil)
		is, ok := virtualPod(u, u.GetName()+"-"+name, asMap(spec["template"]), like, o)
		if !ok {
			continue
		}
		is.Owner.Pool, is.Owner.Size = name, min(size, mostReplicas)
		for i := range min(size, mostVirtual) {
			is.Name, is.Index = u.GetName()+"-"+name+"-"+strconv.Itoa(i), i
			is.UID = string(u.GetUID()) + "/" + name + "/" + strconv.Itoa(i)
			list = append(list, is)
		}
	}
	return list
}

// JobSetSizes is how many pods each part of a JobSet still has at one time: of the Jobs
// that are there what they have left, and of those that are not made yet all.
func JobSetSizes(u *unstructured.Unstructured, jobs []unstructured.Unstructured) map[string]int {
	left, made := map[string]int{}, map[string]int{}
	for i := range jobs {
		job := &jobs[i]
		part := job.GetLabels()[parts[0]]
		if job.GetDeletionTimestamp() != nil {
			continue // another comes in its place
		}
		made[part]++
		spec, _, _ := unstructured.NestedMap(job.Object, "spec")
		status, _, _ := unstructured.NestedMap(job.Object, "status")
		if !jobOver(status) {
			left[part] += JobSize(spec, status)
		}
	}
	sizes := map[string]int{}
	list, _, _ := unstructured.NestedSlice(u.Object, "spec", "replicatedJobs")
	for _, of := range list {
		name, _ := asMap(of)["name"].(string)
		spec, _, _ := unstructured.NestedMap(asMap(of), "template", "spec")
		sizes[name] = left[name] + max(0, countOf(asMap(of), "replicas", 1)-made[name])*JobSize(spec, nil)
	}
	return sizes
}

// jobOver says whether a Job has ended.
func jobOver(status map[string]any) bool {
	list, _ := status["conditions"].([]any)
	for _, c := range list {
		if of := asMap(c); of["status"] == "True" && (of["type"] == "Complete" || of["type"] == "Failed") {
			return true
		}
	}
	return false
}
