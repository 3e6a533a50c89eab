package nodefit

import corev1 "k8s.io/api/core/v1"

// HandOn says why a pod is left to kube-scheduler, which looks at more than this package
// does: "its volume data is kept by a storage system" and the like. "": Muster may bind it by itself. gate
// is Muster's own scheduling gate, which is no reason.
func HandOn(p *corev1.Pod, gate string) string {
	switch {
	case stored(p) != "":
		return "its volume " + stored(p) + " is kept by a storage system"
	case len(p.Spec.ResourceClaims) > 0:
		return "it claims devices"
	case p.Spec.Affinity != nil && (needsPods(p.Spec.Affinity.PodAffinity) || avoidsPods(p.Spec.Affinity.PodAntiAffinity)):
		return "it asks where other pods are"
	case spreads(p):
		return "it asks to be spread"
	case p.Spec.SchedulingGroup != nil:
		return "it is of a group that kube-scheduler starts together"
	}
	for _, g := range p.Spec.SchedulingGates {
		if g.Name != gate {
			return "the gate " + g.Name + " holds it"
		}
	}
	return ""
}

// stored is the first volume of a pod that a storage system keeps, which some nodes may not
// reach, or not once more; "": none is. Other kinds are there on every node.
func stored(p *corev1.Pod) string {
	for _, v := range p.Spec.Volumes {
		s := v.VolumeSource
		local := s.EmptyDir != nil || s.ConfigMap != nil || s.Secret != nil || s.DownwardAPI != nil || s.Projected != nil || s.HostPath != nil ||
			s.Image != nil || s.NFS != nil
		if !local {
			return v.Name
		}
	}
	return ""
}

func needsPods(a *corev1.PodAffinity) bool {
	return a != nil && len(a.RequiredDuringSchedulingIgnoredDuringExecution) > 0
}

func avoidsPods(a *corev1.PodAntiAffinity) bool {
	return a != nil && len(a.RequiredDuringSchedulingIgnoredDuringExecution) > 0
}

func spreads(p *corev1.Pod) bool {
	for _, c := range p.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			return true
		}
	}
	return false
}
