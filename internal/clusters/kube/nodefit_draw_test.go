package kube

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// draw makes random nodes and pods out of few words and small amounts, so that they often meet.
type draw struct {
	*rand.Rand
	made int
}

func (d *draw) oneIn(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d *draw, of ...T) T { return of[d.IntN(len(of))] }

var (
	drawnKeys   = []string{"zone", "disk", "gen"}
	drawnValues = []string{"a", "b", "1", "2", "3"}
	drawnSpaces = []string{"oak", "ash"}
)

func (d *draw) name(of string) string {
	d.made++
	return fmt.Sprintf("%s-%d", of, d.made)
}

func (d *draw) labels() map[string]string {
	l := map[string]string{}
	for _, key := range drawnKeys {
		if !d.oneIn(3) {
			l[key] = pick(d, drawnValues...)
		}
	}
	return l
}

func (d *draw) amount(most int) resource.Quantity {
	return *resource.NewQuantity(int64(d.IntN(most+1)), resource.DecimalSI)
}

// some are amounts of what nodes offer, each with the chance of one in so many.
func (d *draw) some(chance, most int) corev1.ResourceList {
	l := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, "nvidia.com/gpu", "rdma/hca", "hugepages-2Mi",
	} {
		if d.oneIn(chance) {
			l[name] = d.amount(most)
		}
	}
	if d.oneIn(4) {
		l[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(d.IntN(1000*most+1)), resource.DecimalSI)
	}
	return l
}

var drawnEffects = []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule}

func (d *draw) node() *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: d.name("node"), Labels: d.labels()}}
	n.Labels[corev1.LabelHostname] = n.Name
	n.Status.Allocatable = d.some(1, 16)
	if d.oneIn(8) {
		n.Status.Allocatable = d.some(2, 16)
	}
	n.Status.Allocatable[corev1.ResourcePods] = *resource.NewQuantity(int64(pick(d, 2, 3, 10, 110)), resource.DecimalSI)
	n.Spec.Unschedulable = d.oneIn(10)
	for range d.IntN(6) / 3 {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: pick(d, drawnKeys...), Value: pick(d, drawnValues...), Effect: pick(d, drawnEffects...)})
	}
	if d.oneIn(12) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return n
}

// pod is one that says nothing which only kube-scheduler looks at.
func (d *draw) pod() *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: d.name("pod"), Namespace: pick(d, drawnSpaces...), Labels: d.labels()}}
	p.UID = types.UID(p.Name)
	for range 1 + d.IntN(2) {
		p.Spec.Containers = append(p.Spec.Containers, d.container())
	}
	for range d.IntN(6) / 4 {
		c := d.container()
		if d.oneIn(2) {
			c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
	if d.oneIn(8) {
		p.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: d.amount(3), corev1.ResourceMemory: d.amount(3)}
	}
	if d.oneIn(10) {
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: d.amount(8), corev1.ResourceMemory: d.amount(8)}}
	}
	d.choose(&p.Spec)
	return p
}

func (d *draw) container() corev1.Container {
	c := corev1.Container{Name: d.name("c"), Resources: corev1.ResourceRequirements{Requests: d.some(3, 5)}}
	if d.oneIn(6) {
		c.Ports = append(c.Ports, corev1.ContainerPort{
			HostPort: int32(pick(d, 0, 80, 81)), ContainerPort: 80, HostIP: pick(d, "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
			Protocol: pick(d, corev1.ProtocolTCP, corev1.ProtocolUDP),
		})
	}
	return c
}

// choose lets a pod tolerate taints, and say which nodes it wants.
func (d *draw) choose(s *corev1.PodSpec) {
	for range d.IntN(4) {
		s.Tolerations = append(s.Tolerations, d.toleration())
	}
	if d.oneIn(6) {
		s.NodeSelector = map[string]string{pick(d, drawnKeys...): pick(d, drawnValues...)}
	}
	if !d.oneIn(4) {
		return
	}
	s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}
	if d.oneIn(5) { // it only prefers
		s.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 1, Preference: d.term()}}
		return
	}
	required := &corev1.NodeSelector{}
	for range 1 + d.IntN(2) {
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, d.term())
	}
	s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required
}

func (d *draw) toleration() corev1.Toleration {
	t := corev1.Toleration{Key: pick(d, drawnKeys...), Effect: pick(d, append(drawnEffects, "")...)}
	switch d.IntN(4) {
	case 0:
		t.Operator = corev1.TolerationOpExists
	case 1:
		t.Operator, t.Key = corev1.TolerationOpExists, pick(d, "", corev1.TaintNodeUnschedulable)
	default:
		t.Operator, t.Value = pick(d, corev1.TolerationOpEqual, ""), pick(d, drawnValues...)
	}
	return t
}

func (d *draw) term() (term corev1.NodeSelectorTerm) {
	for range d.IntN(3) {
		r := corev1.NodeSelectorRequirement{Key: pick(d, drawnKeys...)}
		r.Operator = pick(d, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt)
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			r.Values = []string{pick(d, drawnValues...), pick(d, drawnValues...)}
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			r.Values = []string{"2"}
		}
		term.MatchExpressions = append(term.MatchExpressions, r)
	}
	if d.oneIn(6) {
		term.MatchFields = []corev1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: pick(d, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: []string{fmt.Sprintf("node-%d", max(1, d.made-d.IntN(40)))},
		}}
	}
	return term
}

// standing is a pod on a node: some keep others away, were resized in place, or are leaving.
func (d *draw) standing(on string) *corev1.Pod {
	p := d.pod()
	p.Spec.NodeName, p.Status.Phase = on, corev1.PodRunning
	if d.oneIn(5) {
		d.repels(p)
	}
	if d.oneIn(5) {
		c := &p.Spec.Containers[0]
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: c.Name, AllocatedResources: d.some(3, 5), Resources: &corev1.ResourceRequirements{Requests: d.some(3, 5)},
		}}
		if d.oneIn(2) {
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: pick(d, corev1.PodReasonInfeasible, corev1.PodReasonDeferred),
			}}
		}
	}
	if d.oneIn(8) {
		now := metav1.Now()
		p.DeletionTimestamp = &now
	}
	return p
}

func (d *draw) repels(p *corev1.Pod) {
	term := corev1.PodAffinityTerm{TopologyKey: pick(d, "zone", corev1.LabelHostname)}
	if !d.oneIn(8) {
		term.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{pick(d, drawnKeys...): pick(d, drawnValues...)}}
	}
	switch d.IntN(3) {
	case 0:
		term.Namespaces = []string{pick(d, drawnSpaces...)}
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{} // all of them
	}
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
}

// handOns are what makes a pod kube-scheduler's, by what is said of it.
var handOns = map[string]func(d *draw, p *corev1.Pod){
	"a volume that is claimed": func(_ *draw, p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	},
	"a volume that is made for it": func(_ *draw, p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	},
	"a volume of a driver": func(_ *draw, p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "example.com"}}}}
	},
	"a disk that one node reads": func(_ *draw, p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{}}}}
	},
	"a claim of devices": func(_ *draw, p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new("gpu")}}
	},
	"a wish to be near others": func(d *draw, p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"disk": pick(d, drawnValues...)}},
		}}}}
	},
	"a wish to be away from others": func(d *draw, p *corev1.Pod) { d.repels(p) },
	"a wish to be spread": func(_ *draw, p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{}}}
	},
	"a group of kube-scheduler's": func(_ *draw, p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{} },
	"a gate of others": func(_ *draw, p *corev1.Pod) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/data"}}
	},
}

// harmless are what looks like that and is not: the pod stays Muster's.
var harmless = []func(d *draw, p *corev1.Pod){
	func(_ *draw, p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "conf", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}},
			{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/dev/shm"}}},
			{Name: "net", VolumeSource: corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs", Path: "/"}}},
		}
	},
	func(_ *draw, p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{}}}
	},
	func(d *draw, p *corev1.Pod) {
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &corev1.Affinity{}
		}
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 1, PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"disk": pick(d, drawnValues...)}}},
		}}}
	},
}
