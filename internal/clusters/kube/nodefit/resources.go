package nodefit

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Resources are amounts of what nodes offer and pods request.
type Resources struct {
	MilliCPU  int64 // thousandths of a core
	Memory    int64 // bytes
	Ephemeral int64 // bytes of ephemeral storage
	// Other are extended resources, huge pages and attachable volumes, each in its own unit,
	// by name.
	Other []Amount
}

// Amount is how much there is of one resource.
type Amount struct {
	Name corev1.ResourceName
	N    int64
}

// resourcesOf reads a list of quantities. The number of pods is left out: a request has none.
func resourcesOf(list corev1.ResourceList) Resources {
	var r Resources
	for name, quantity := range list {
		switch name {
		case corev1.ResourceCPU:
			r.MilliCPU = quantity.MilliValue()
		case corev1.ResourceMemory:
			r.Memory = quantity.Value()
		case corev1.ResourceEphemeralStorage:
			r.Ephemeral = quantity.Value()
		case corev1.ResourcePods:
		default:
			r.Other = append(r.Other, Amount{once(name), quantity.Value()})
		}
	}
	slices.SortFunc(r.Other, func(a, b Amount) int { return cmp.Compare(a.Name, b.Name) })
	return r
}

// of is the amount of another resource; 0 where there is none.
func (r Resources) of(name corev1.ResourceName) int64 {
	for _, a := range r.Other {
		if a.Name == name {
			return a.N
		}
	}
	return 0
}

// named is the amount of any resource, by its name; 0 where there is none.
func (r Resources) named(name string) int64 {
	switch corev1.ResourceName(name) {
	case corev1.ResourceCPU:
		return r.MilliCPU
	case corev1.ResourceMemory:
		return r.Memory
	case corev1.ResourceEphemeralStorage:
		return r.Ephemeral
	default:
		return r.of(corev1.ResourceName(name))
	}
}

// add adds o to r.
func (r *Resources) add(o Resources) {
	r.MilliCPU += o.MilliCPU
	r.Memory += o.Memory
	r.Ephemeral += o.Ephemeral
	for _, a := range o.Other {
		at := slices.IndexFunc(r.Other, func(b Amount) bool { return b.Name == a.Name })
		if at < 0 {
			r.Other = append(r.Other, a)
			continue
		}
		r.Other[at].N += a.N
	}
}

// amount is how much of a resource there is, as Kubernetes writes it: 1500m, 64Gi, 8.
func amount(name string, n int64) string {
	switch corev1.ResourceName(name) {
	case corev1.ResourceCPU:
		return resource.NewMilliQuantity(n, resource.DecimalSI).String()
	case corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return resource.NewQuantity(n, resource.BinarySI).String()
	default:
		return resource.NewQuantity(n, resource.DecimalSI).String()
	}
}
