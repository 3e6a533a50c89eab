package translate

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// This file pictures the pods of owners of which some are not made yet, so that the
// workload is known whole before any of it starts. Some owners make pods only once others
// run: then the first start in the room that all of it was given. Else all must be made.

// What is on a LeaderWorkerSet or a JobSet whose pods follow the first of them: they
// are made once it is bound.
const (
	lwsExclusive    = "leaderworkerset.sigs.k8s.io/exclusive-topology"
	jobSetExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology"
)

// Crew is what a LeaderWorkerSet says of each of its groups.
type Crew struct {
	Size int   // pods that ask for GPUs; 0: it is not said
	Pods []Pod // as they are made, gated
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
	later := startup == "LeaderReady" || u.GetAnnotations()[lwsExclusive] != "" // the workers come after their leader
	for i := range min(size, mostVirtual) {
		template := worker
		if i == 0 {
			template = leader
		}
		p, ok := virtualPod(u, of.Workload()[1]+"-"+strconv.Itoa(i), template, of, o)
		if ok {
			p.Index, p.Unmade = i, !later
			g.Pods = append(g.Pods, p)
		}
	}
	g.Size = len(g.Pods)
	for i := range g.Pods {
		g.Pods[i].Owner.Size = g.Size
	}
	return g
}

// virtualPod is a pod that would be made of a template for the same whole as another
// one. ok is false for one that asks for no GPU, or is not Muster's to start.
func virtualPod(u *unstructured.Unstructured, name string, template map[string]any, like *Pod, o *Options) (is Pod, ok bool) {
	var p corev1.Pod
	if err := TemplateInto(template, &p); err != nil {
		return Pod{}, false
	}
	p.Namespace, p.Name, p.CreationTimestamp = u.GetNamespace(), name, metav1.Time{}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: Gate}}
	if is, ok = PodOf(&p, o); !ok || is.Wishes.Target == "" {
		return Pod{}, false
	}
	is.UID, is.Created, is.Owner, is.Made = string(u.GetUID())+"/"+name, like.Created, like.Owner, like.Made
	is.Virtual, is.Later, is.Problems = true, true, nil
	return is, true
}

// section is a part of something: so many pods of a template.
type section struct {
	pool     string
	size     int
	template map[string]any
	later    bool // they are made once others run
}

// Pictured lists the pods that something of several parts makes, as they would be made:
// gated. like is a pod of it. Of a JobSet what has finished is none of them.
func Pictured(u *unstructured.Unstructured, like *Pod, o *Options) (list []Pod) {
	var sections []section
	switch like.Owner.Kind {
	case "JobSet":
		sections = jobSetSections(u)
	case "RayCluster":
		sections = raySections(u)
	case "MPIJob":
		sections = mpiSections(u)
	}
	left := mostVirtual
	for _, part := range sections {
		is, ok := virtualPod(u, u.GetName()+"-"+part.pool, part.template, like, o)
		if !ok {
			continue
		}
		is.Owner.Pool, is.Owner.Size, is.Unmade = part.pool, min(part.size, mostReplicas), !part.later
		n := min(part.size, max(1, left)) // one at least: its owner says how many there are
		left -= n
		for i := range n {
			is.Name, is.Index = u.GetName()+"-"+part.pool+"-"+strconv.Itoa(i), i
			is.UID = string(u.GetUID()) + "/" + part.pool + "/" + strconv.Itoa(i)
			list = append(list, is)
		}
	}
	return list
}

func jobSetSections(u *unstructured.Unstructured) (list []section) {
	jobs, _, _ := unstructured.NestedSlice(u.Object, "spec", "replicatedJobs")
	order, _, _ := unstructured.NestedString(u.Object, "spec", "startupPolicy", "startupPolicyOrder")
	later := order == "InOrder" || u.GetAnnotations()[jobSetExclusive] != ""
	for _, job := range jobs {
		notes, _, _ := unstructured.NestedStringMap(asMap(job), "template", "metadata", "annotations")
		later = later || asMap(job)["dependsOn"] != nil || notes[jobSetExclusive] != ""
	}
	for _, job := range jobs {
		name, _ := asMap(job)["name"].(string)
		spec, _, _ := unstructured.NestedMap(asMap(job), "template", "spec")
		left := countOf(asMap(job), "replicas", 1) - finishedJobs(u, name)
		list = append(list, section{name, max(0, left) * JobSize(spec, nil), asMap(spec["template"]), later})
	}
	return list
}

func raySections(u *unstructured.Unstructured) []section {
	head, _, _ := unstructured.NestedMap(u.Object, "spec", "headGroupSpec", "template")
	list := []section{{"headgroup", 1, head, false}}
	groups, _, _ := unstructured.NestedSlice(u.Object, "spec", "workerGroupSpecs")
	for _, group := range groups {
		name, _ := asMap(group)["groupName"].(string)
		list = append(list, section{name, RayGroupSize(asMap(group)), asMap(asMap(group)["template"]), false})
	}
	return list
}

// RayGroupSize is how many pods a worker group of a RayCluster has.
func RayGroupSize(group map[string]any) int {
	if group["suspend"] == true {
		return 0
	}
	n := max(countOf(group, "replicas", 0), countOf(group, "minReplicas", 0))
	return min(n, countOf(group, "maxReplicas", n)) * countOf(group, "numOfHosts", 1)
}

func mpiSections(u *unstructured.Unstructured) (list []section) {
	policy, _, _ := unstructured.NestedString(u.Object, "spec", "launcherCreationPolicy")
	for _, name := range []string{"Launcher", "Worker"} {
		part, there, _ := unstructured.NestedMap(u.Object, "spec", "mpiReplicaSpecs", name)
		if there {
			later := name == "Launcher" && policy == "WaitForWorkersReady"
			list = append(list, section{strings.ToLower(name), countOf(part, "replicas", 1), asMap(part["template"]), later})
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
