package translate

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds on what an object may say.
const (
	mostGPUs = 64  // of a node
	mostName = 100 // characters of a name that a label gives
)

// usualGPUs is the node size that a partition's name does not mention.
const usualGPUs = 8

// Node is what a node object says.
type Node struct {
	Name   string
	Born   fleet.Instant // when the object was made
	GPU    string        // model, as the partition is called; "": no GPU node
	Model  string        // as its labels name it
	GPUs   int           // as the machine has them
	Island string
	Rack   string
	Dead   int // GPUs that the device plugin does not offer
	Outage
	Runs      fleet.Runs     // what it says that it runs
	Announced []Announced    // maintenances that others say it is to have
	Signals   []fleet.Signal // its conditions; well ones too
	Problems  []Problem
	Fit       *nodefit.Node // what it offers to pods
}

// Outage is what keeps work away from a node.
type Outage struct {
	// Cordoned says who keeps new work away by hand: "cordoned", or the taint.
	Cordoned string
	Broken   string        // the taint that says it cannot serve; "": none
	Mark     string        // that Muster itself has set, whole; see marks.go
	Stage    string        // of a maintenance, that Muster itself has set, whole; see stages.go
	Silent   fleet.Instant // since when its kubelet does not answer; 0: it answers, perhaps that it is not ready
	Fenced   bool          // Muster has said that it is out of service
}

// NodeOf reads a node.
func NodeOf(n *corev1.Node, o *Options) Node {
	out := Node{Name: o.Called(n.Name), Born: instantOf(n.CreationTimestamp.Time), Fit: nodefit.NodeOf(n)}
	if o.strange(n.Name) {
		out.problem("its name has an @ or is too long; it is left out")
		return out
	}
	out.Model = firstLabel(n.Labels, o.Models)
	out.place(n, o)
	out.marks(n, o)
	out.Runs, out.Announced = runsOf(n), announcedOf(n)
	out.Signals = signalsOf(n)
	for i := range out.Signals {
		out.Signals[i].Node = out.Name
	}
	if resource, gpus := capacityOf(n, o); gpus != 0 {
		out.counts(gpus, out.Model, resource, o)
		out.Dead = deadOf(n, resource, out.GPUs)
	}
	return out
}

// counts notes how many GPUs of a model a node has, as a label or a driver says.
func (n *Node) counts(gpus int64, model, says string, o *Options) {
	if gpus < 0 || gpus > mostGPUs {
		n.problem("it says it has %d of %s; a node has 1 to %d", gpus, says, mostGPUs)
		return
	}
	n.GPUs, n.GPU = int(gpus), modelName(model)
	if n.GPU == "" {
		n.GPU = "gpu"
		n.problem("none of the labels %s names its GPU model; it is counted as %q", strings.Join(o.Models, ", "), n.GPU)
	}
	if gpus != usualGPUs {
		n.GPU += fmt.Sprintf("-%dx", gpus)
	}
}

func (n *Node) problem(format string, args ...any) {
	n.Problems = append(n.Problems, Problem{"node/" + n.Name, fmt.Sprintf(format, args...)})
}

// place finds the island and the rack. A cluster that names neither is one island.
func (n *Node) place(of *corev1.Node, o *Options) {
	n.Island = plainName(firstLabel(of.Labels, o.Islands))
	if n.Island == "" {
		n.Island = "all"
	}
	n.Rack = plainName(firstLabel(of.Labels, o.Racks))
}

// capacityOf is the GPU resource of a node and how many it has. Where several are
// named the first counts.
func capacityOf(n *corev1.Node, o *Options) (resource string, gpus int64) {
	for _, r := range o.Resources {
		if q, ok := n.Status.Capacity[corev1.ResourceName(r)]; ok && !q.IsZero() {
			return r, q.Value()
		}
	}
	return "", 0
}

// deadOf is how many GPUs the machine has and does not offer.
func deadOf(n *corev1.Node, resource string, gpus int) int {
	q, ok := n.Status.Allocatable[corev1.ResourceName(resource)]
	if !ok {
		return 0 // not said yet
	}
	return max(0, min(gpus, gpus-int(min(q.Value(), int64(gpus)))))
}

func firstLabel(labels map[string]string, names []string) string {
	for _, name := range names {
		if v := labels[name]; v != "" {
			return v
		}
	}
	return ""
}

// vendors are words of a product's name that say nothing about the model.
var vendors = []string{"nvidia-", "amd-", "instinct-", "tesla-"}

// modelName is a short name of a GPU product: NVIDIA-H200 is h200, and
// NVIDIA-A100-SXM4-40GB is a100-40gb, as there are A100 with more. The name of a
// machine type stays whole.
func modelName(product string) string {
	name := plainName(strings.ToLower(product))
	if strings.ContainsAny(name, "_.") {
		return name
	}
	for _, v := range vendors {
		name = strings.TrimPrefix(name, v)
	}
	words := strings.Split(name, "-")
	if words[0] != "a100" {
		return words[0]
	}
	for _, w := range words[1:] {
		if strings.HasSuffix(w, "gb") {
			return words[0] + "-" + w
		}
	}
	return words[0]
}

// plainName makes a label's value a name: no spaces, slashes or control characters.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' || r == 0x7f || r == 0xfffd {
			return '-'
		}
		return r
	}, strings.ToValidUTF8(s, "-"))
	for len(s) > mostName {
		s = s[:mostName]
		s = strings.ToValidUTF8(s, "")
	}
	return s
}
