package translate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Pod is what a pod that asks for GPUs says.
type Pod struct {
	Namespace, Name, UID string
	GPUs                 int
	Node                 string // "" until it is bound
	Gated                bool   // it waits for Muster, which takes its gate away, or binds it
	Binds                bool   // Muster binds it by itself; else kube-scheduler does, once the gate is gone
	Barred               string // why Muster cannot bind it, though it names Muster as its scheduler
	Virtual              bool   // it is not made yet: what makes it is suspended, or see Later
	Later                bool   // it is made without Muster's doing, now or once others run
	Unmade               bool   // nothing of its gang starts before it is made
	Pinned               string // the node on which Muster has started it
	Choosy               bool   // it says itself which nodes it wants
	Leaving              bool   // it was deleted
	Over                 bool   // it has ended
	Failed               bool   // it has ended badly
	Created              fleet.Instant
	Owner                Owner
	Made                 Made
	Wishes               Wishes
	Unschedulable        string // what kube-scheduler says of it
	Asks                 []Ask  // claims of devices; what they ask for is not in GPUs yet
	Index                int    // among its siblings, where its controller numbers them; -1: it does not
	Admitted             string // message of its condition muster.dev/Admitted
	Planned              string // message of its condition muster.dev/MaintenancePlanned, while that is true
	Problems             []Problem
	Fit                  *nodefit.Pod // what it asks of a node, until it is bound
	Footprint            string       // the name of that, GPUs apart; of a pod that was rejected, too
	Rejected             string       // why the kubelet of its node did not let it run; "": it did
}

// Unknown is the size of an owner that could not be asked.
const Unknown = -1

// Owner is what made the pod, as far as the pod itself says.
type Owner struct {
	Kind, Name string // "" for a pod without an owner
	UID        string // of what made the pod itself
	Elastic    bool   // its replicas are alike and independent of each other
	Pool       string // the part of its owner that it is of
	Size       int    // how many pods its part has; 0: not said
	Done       bool   // nothing of its part is left: all of it has ended
	Object     string // the object that is asked, where the workload is one part of it: "": that of Name
}

// Shrinks says whether it makes fewer pods once part of it has finished.
func (o *Owner) Shrinks() bool { return o.Kind == "Job" || o.Kind == "JobSet" }

// Parts says whether it is of several parts, whose sizes it knows.
func (o *Owner) Parts() bool {
	return o.Kind == "JobSet" || o.Kind == "RayCluster" || o.Kind == "MPIJob"
}

// Asked is the name of the object that knows how many pods there are to be.
func (o *Owner) Asked() string { return firstOf(o.Object, o.Name) }

// Wishes are the labels and annotations of Muster's own on a pod.
type Wishes struct {
	Target    string
	Workload  string
	Pool      string
	Partition string
	Queue     string // Kueue's local queue
	Priority  fleet.Priority
	Rank      int
	Reach     fleet.Reach
	Min, Max  int // 0: not said
	Times
}

// Times are how long work says that it takes; 0: it does not say.
type Times struct {
	MaxRuntime  time.Duration
	Checkpoint  time.Duration
	Grace       time.Duration
	BearsFreeze time.Duration
}

// Managed says whether the pod is Muster's to start: it has a target, and waits
// for Muster or was started by it.
func (p *Pod) Managed() bool { return p.Wishes.Target != "" && (p.Gated || p.Pinned != "") }

// At is the node where the pod is, or will be; "" while it waits for Muster.
func (p *Pod) At() string {
	switch {
	case p.Node != "":
		return p.Node
	case p.Gated:
		return ""
	}
	return p.Pinned
}

// Over says whether a pod has ended.
func Over(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// PodOf reads a pod. ok is false for one that asks for no GPU, and for no device.
func PodOf(p *corev1.Pod, o *Options) (out Pod, ok bool) {
	gpus, claims := gpusOf(p, o), asksOf(p)
	if gpus == 0 && len(claims) == 0 || o.strange(p.Namespace) {
		return Pod{}, false
	}
	out = Pod{
		Namespace: o.Called(p.Namespace), Name: p.Name, UID: string(p.UID), Node: o.Called(p.Spec.NodeName), Created: instantOf(p.CreationTimestamp.Time),
		Leaving: p.DeletionTimestamp != nil, Over: Over(p),
		Failed: p.Status.Phase == corev1.PodFailed, Index: indexOf(p),
	}
	out.waits(p, o)
	out.rejected(p, o)
	out.Pinned = o.Called(plainName(p.Annotations[AnnotationNode]))
	out.Choosy = p.Spec.Affinity != nil && p.Spec.Affinity.NodeAffinity != nil && p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
	out.Asks = claims
	out.conditions(p)
	if gpus < 0 || gpus > mostGPUs {
		out.problem("it asks for %d GPUs; a pod runs on one node and asks for 1 to %d", gpus, mostGPUs)
		return out, true // without GPUs: nothing can be made of it
	}
	out.GPUs = int(gpus)
	out.Owner, out.Made = ownerOf(p), MadeOf(p)
	out.readWishes(p)
	return out, true
}

// waits reads how the pod waits for Muster: held by Muster's gate, or unbound with Muster as
// its scheduler.
func (p *Pod) waits(of *corev1.Pod, o *Options) {
	if of.Spec.NodeName != "" || p.Over {
		return
	}
	for _, g := range of.Spec.SchedulingGates {
		p.Gated = p.Gated || g.Name == Gate
	}
	p.Fit = nodefit.PodOf(of)
	p.Footprint = p.Fit.Footprint(o.Resources)
	if p.Binds = of.Spec.SchedulerName == Scheduler && !p.Gated; !p.Binds {
		return
	}
	p.Gated = true
	if p.Barred = nodefit.HandOn(of, Gate); p.Barred != "" {
		p.problem("its schedulerName is %s, but only kube-scheduler can bind it: %s; %s", Scheduler, p.Barred, ForKubeScheduler)
	}
}

// ForKubeScheduler says how a pod that is bound to Muster comes to kube-scheduler: a template without a schedulerName is given
// Muster's, except for one with its gate.
const ForKubeScheduler = "make it anew without a schedulerName; where its template had none, with the scheduling gate " + Gate + " there"

// rejections are how the reasons begin for which a kubelet does not let a pod run that was bound to its node.
var rejections = []string{"OutOf", "NodeAffinity", "NodePorts", "TopologyAffinityError", "UnexpectedAdmissionError"}

// rejected reads whether the kubelet of the pod's node did not let it run.
func (p *Pod) rejected(of *corev1.Pod, o *Options) {
	why := of.Status.Reason
	if !p.Failed || !slices.ContainsFunc(rejections, func(r string) bool { return strings.HasPrefix(why, r) }) {
		return
	}
	p.Rejected = Clip(why)
	p.Footprint = nodefit.PodOf(of).Footprint(o.Resources)
}

func (p *Pod) problem(format string, args ...any) {
	p.Problems = append(p.Problems, Problem{"pod/" + p.Namespace + "/" + p.Name, fmt.Sprintf(format, args...)})
}

func (p *Pod) conditions(of *corev1.Pod) {
	for _, c := range of.Status.Conditions {
		switch {
		case c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable:
			p.Unschedulable = Clip(c.Message)
		case string(c.Type) == Condition:
			p.Admitted = Clip(c.Message)
		case string(c.Type) == ConditionPlanned && c.Status == corev1.ConditionTrue:
			p.Planned = Clip(c.Message)
		}
	}
}

// gpusOf is what the scheduler counts for a pod: its containers together, or the
// largest of those that run before them.
func gpusOf(p *corev1.Pod, o *Options) int64 {
	for _, name := range o.Resources {
		together, before := int64(0), int64(0)
		for _, c := range p.Spec.InitContainers {
			n := asks(c.Resources, name)
			if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
				together = sum(together, n) // a sidecar stays
				before = max(before, together)
			} else {
				before = max(before, sum(together, n))
			}
		}
		for _, c := range p.Spec.Containers {
			together = sum(together, asks(c.Resources, name))
		}
		if n := max(together, before); n != 0 {
			return n
		}
	}
	return 0
}

// sum stops far above any size that is believed, so that nothing overflows.
func sum(a, b int64) int64 {
	const enough = 1 << 40
	return max(-enough, min(enough, a)) + max(-enough, min(enough, b))
}

func asks(r corev1.ResourceRequirements, name string) int64 {
	if q, ok := r.Requests[corev1.ResourceName(name)]; ok {
		return q.Value()
	}
	q := r.Limits[corev1.ResourceName(name)]
	return q.Value()
}

// indexes are labels and annotations by which controllers number pods. The leaders of
// a LeaderWorkerSet are numbered as its groups are, by their StatefulSet, and as the
// first of their group, which is what counts.
var indexes = []string{"leaderworkerset.sigs.k8s.io/worker-index", "batch.kubernetes.io/job-completion-index", "apps.kubernetes.io/pod-index", "training.kubeflow.org/replica-index"}

func indexOf(p *corev1.Pod) int {
	for _, key := range indexes {
		text := p.Labels[key]
		if text == "" {
			text = p.Annotations[key]
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 1_000_000 {
			return n
		}
	}
	return -1
}

// parts are labels by which controllers of pods name the pods' part of the whole,
// and parents those that name the whole.
var (
	parts = []string{
		"jobset.sigs.k8s.io/replicatedjob-name", "ray.io/group", "training.kubeflow.org/replica-type", "kubeflow.org/replica-type",
		"training.kubeflow.org/job-role", // of an MPIJob
	}
	parents = []struct{ label, kind string }{
		{"jobset.sigs.k8s.io/jobset-name", "JobSet"},
		{"leaderworkerset.sigs.k8s.io/name", "LeaderWorkerSet"},
		{"ray.io/cluster", "RayCluster"},
		{"training.kubeflow.org/job-name", "MPIJob"},
		{"scheduling.x-k8s.io/pod-group", "PodGroup"},
	}
)

// ownerOf names what made a pod. Where the pod was made by a part of something
// larger, labels of known controllers name the larger.
func ownerOf(p *corev1.Pod) Owner {
	o := Owner{Pool: plainName(firstLabel(p.Labels, parts))}
	ref := metav1.GetControllerOf(p)
	if ref != nil {
		o.UID = Clip(string(ref.UID))
	}
	for _, parent := range parents {
		if name := p.Labels[parent.label]; name != "" {
			o.Kind, o.Name = parent.kind, plainName(name)
			if o.Kind == "MPIJob" && ref != nil && ref.Kind != "Job" { // other kinds have this label too; a launcher is made by a Job
				o.Kind = plainName(ref.Kind)
			}
			o.whole(p)
			return o
		}
	}
	if ref == nil {
		return o
	}
	o.Kind, o.Name = plainName(ref.Kind), plainName(ref.Name)
	switch o.Kind {
	case "ReplicaSet":
		if hash := p.Labels["pod-template-hash"]; hash != "" && strings.HasSuffix(o.Name, "-"+hash) {
			o.Kind, o.Name = "Deployment", strings.TrimSuffix(o.Name, "-"+hash)
		}
		o.Elastic = true
	case "StatefulSet", "ReplicationController", "DaemonSet":
		o.Elastic = true
	}
	return o
}

// readWishes reads labels and annotations. One that cannot be read is a problem,
// and what it says is as if it were not there.
func (p *Pod) readWishes(of *corev1.Pod) {
	w, notes := &p.Wishes, of.Annotations
	w.Priority = fleet.Mid
	w.Target = firstOf(notes[AnnotationTarget], strings.ReplaceAll(of.Labels[LabelTarget], ".", "/"))
	w.Workload, w.Pool = plainName(of.Labels[LabelWorkload]), plainName(of.Labels[LabelPool])
	w.Partition = Clip(notes[AnnotationPartition])
	w.Queue = plainName(of.Labels["kueue.x-k8s.io/queue-name"])
	if len(w.Target) > 253 || toValid(w.Target) != w.Target {
		p.problem("its target is no quota path")
		w.Target = ""
	}
	if text, said := notes[AnnotationPriority]; said {
		pr, ok := fleet.ParsePriority(text)
		p.check(ok, AnnotationPriority, text, "critical, high, mid or low")
		w.Priority = pr
	}
	if text, said := notes[AnnotationRank]; said {
		n, err := strconv.Atoi(text)
		if p.check(err == nil && n >= 0 && n <= 1000, AnnotationRank, text, "0 to 1000") {
			w.Rank = n
		}
	}
	if text, said := notes[AnnotationReach]; said {
		reaches := []string{string(fleet.ReachAny), string(fleet.ReachIsland), string(fleet.ReachRack)}
		if p.check(slices.Contains(reaches, text), AnnotationReach, text, "rack, island or any") {
			w.Reach = fleet.Reach(text)
		}
	}
	if text, said := notes[AnnotationReplicas]; said {
		low, high, ok := replicas(text)
		if p.check(ok, AnnotationReplicas, text, "a number, or two as 2..8") {
			w.Min, w.Max = low, high
		}
	}
	w.MaxRuntime = p.duration(notes, AnnotationMaxRuntime)
	w.Checkpoint = p.duration(notes, AnnotationCheckpoint)
	w.BearsFreeze = p.duration(notes, AnnotationFreeze)
	w.Grace = p.duration(notes, AnnotationGrace)
	if _, said := notes[AnnotationGrace]; !said {
		w.Grace = graceOf(of)
	}
}

// usualGrace is the grace of who says nothing (semantics §5).
const usualGrace = 30 * time.Second

func graceOf(p *corev1.Pod) time.Duration {
	if s := p.Spec.TerminationGracePeriodSeconds; s != nil && *s >= 0 && *s < 1_000_000 {
		return time.Duration(*s) * time.Second
	}
	return usualGrace
}

func (p *Pod) check(ok bool, key, text, right string) bool {
	if !ok {
		p.problem("%s is %.40q; it can be %s", key, toValid(text), right)
	}
	return ok
}

func (p *Pod) duration(notes map[string]string, key string) time.Duration {
	text, said := notes[key]
	if !said {
		return 0
	}
	d, err := time.ParseDuration(text)
	if !p.check(err == nil && d >= 0, key, text, "a time like 90m") {
		return 0
	}
	return d
}

// replicas reads 16, or 2..8.
func replicas(text string) (low, high int, ok bool) {
	a, b, two := strings.Cut(text, "..")
	if !two {
		b = a
	}
	low, err1 := strconv.Atoi(a)
	high, err2 := strconv.Atoi(b)
	return low, high, err1 == nil && err2 == nil && low >= 1 && high >= low && high <= mostReplicas
}

// mostReplicas bounds the size of a pool.
const mostReplicas = 100_000

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
