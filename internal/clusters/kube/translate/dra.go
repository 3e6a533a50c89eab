package translate

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// Slice is what a ResourceSlice says of one node's GPUs.
type Slice struct {
	Node, Driver, Pool string
	Generation         int64 // of the pool: older ones do not count
	Model              string
	GPUs, Tainted      int // whole ones, and those of them that a taint keeps from use
}

// mostDevices bounds how many devices of a slice are read.
const mostDevices = 512

// SliceOf reads a ResourceSlice. ok is false for one that is not of a GPU driver, or
// not of one node.
func SliceOf(of *resourcev1.ResourceSlice, o *Options) (s Slice, ok bool) {
	if !slices.Contains(o.Drivers, of.Spec.Driver) || of.Spec.NodeName == nil || *of.Spec.NodeName == "" {
		return Slice{}, false
	}
	s = Slice{Node: o.Called(*of.Spec.NodeName), Driver: of.Spec.Driver, Pool: of.Spec.Pool.Name, Generation: of.Spec.Pool.Generation}
	for _, d := range of.Spec.Devices[:min(len(of.Spec.Devices), mostDevices)] {
		if kind := attribute(d, "type"); kind != "" && kind != "gpu" {
			continue // a part of one, or something else
		}
		s.GPUs++
		if slices.ContainsFunc(d.Taints, func(t resourcev1.DeviceTaint) bool { return t.Effect != "None" }) {
			s.Tainted++
		}
		if model := Clip(firstOf(attribute(d, "productName"), attribute(d, "model"))); model != "" && (s.Model == "" || model < s.Model) {
			s.Model = model
		}
	}
	return s, true
}

func attribute(d resourcev1.Device, name string) string {
	if a, ok := d.Attributes[resourcev1.QualifiedName(name)]; ok && a.StringValue != nil {
		return *a.StringValue
	}
	return ""
}

// Publish gives nodes that offer no GPU resource the GPUs that their drivers publish
// in slices. The labels of the node name its model before the driver does.
func Publish(nodes []Node, published []Slice, o *Options) {
	newest := map[[3]string]int64{}
	for _, s := range published {
		key := [3]string{s.Node, s.Driver, s.Pool}
		newest[key] = max(newest[key], s.Generation)
	}
	by := map[string]Slice{}
	for _, s := range published {
		if s.Generation < newest[[3]string{s.Node, s.Driver, s.Pool}] {
			continue
		}
		sum := by[s.Node]
		sum.GPUs, sum.Tainted = sum.GPUs+s.GPUs, sum.Tainted+s.Tainted
		if sum.Model == "" || s.Model != "" && s.Model < sum.Model {
			sum.Model = s.Model
		}
		by[s.Node] = sum
	}
	for i := range nodes {
		if s := by[nodes[i].Name]; nodes[i].GPU == "" && len(nodes[i].Problems) == 0 && s.GPUs > 0 {
			nodes[i].counts(int64(s.GPUs), firstOf(nodes[i].Model, s.Model), "the slices of its driver", o)
			nodes[i].Dead = min(s.Tainted, nodes[i].GPUs)
		}
	}
}

// Claim is what a ResourceClaim, or the template of one, asks for.
type Claim struct {
	GPUs int
	All  bool // every GPU of its node
	For  int  // pods that share it; 0: not said
}

// ClaimOf reads a ResourceClaim: what it was given counts before what it asks for.
func ClaimOf(of *resourcev1.ResourceClaim, classes []string, o *Options) Claim {
	c := wishedBy(of.Spec, classes)
	c.For = len(of.Status.ReservedFor)
	if of.Status.Allocation != nil {
		c.All, c.GPUs = false, 0
		for _, r := range of.Status.Allocation.Devices.Results {
			if slices.Contains(o.Drivers, r.Driver) && (r.AdminAccess == nil || !*r.AdminAccess) {
				c.GPUs++
			}
		}
	}
	return c
}

// TemplateOf reads a ResourceClaimTemplate.
func TemplateOf(of *resourcev1.ResourceClaimTemplate, classes []string) Claim {
	return wishedBy(of.Spec.Spec, classes)
}

// wishedBy is what requests ask for. Of alternatives the largest counts: no less may be promised.
func wishedBy(spec resourcev1.ResourceClaimSpec, classes []string) (c Claim) {
	for _, r := range spec.Devices.Requests {
		switch {
		case r.Exactly != nil:
			if r.Exactly.AdminAccess == nil || !*r.Exactly.AdminAccess { // who looks on takes nothing
				c.add(r.Exactly.DeviceClassName, r.Exactly.AllocationMode, r.Exactly.Count, classes)
			}
		default:
			var most Claim
			for _, s := range r.FirstAvailable {
				var one Claim
				one.add(s.DeviceClassName, s.AllocationMode, s.Count, classes)
				if one.All || one.GPUs > most.GPUs {
					most = one
				}
			}
			c.GPUs, c.All = c.GPUs+most.GPUs, c.All || most.All
		}
	}
	return c
}

func (c *Claim) add(class string, mode resourcev1.DeviceAllocationMode, count int64, classes []string) {
	switch {
	case !slices.Contains(classes, class):
	case mode == resourcev1.DeviceAllocationModeAll:
		c.All = true
	default:
		c.GPUs = int(min(int64(c.GPUs)+max(1, count), mostGPUs+1))
	}
}

// ClassesOf names the device classes that are GPUs: those of a GPU driver's name,
// and those whose selectors name one.
func ClassesOf(list []*resourcev1.DeviceClass, o *Options) []string {
	names := slices.Clone(o.Drivers)
	for _, c := range list {
		for _, s := range c.Spec.Selectors {
			if s.CEL != nil && slices.ContainsFunc(o.Drivers, func(d string) bool {
				return strings.Contains(s.CEL.Expression, `"`+d+`"`) || strings.Contains(s.CEL.Expression, `'`+d+`'`)
			}) {
				names = append(names, c.Name)
				break
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Ask is one claim of a pod: by its own name, or from a template.
type Ask struct{ Claim, Template string }

// mostAsks bounds how many claims of a pod are read.
const mostAsks = 32

func asksOf(p *corev1.Pod) (list []Ask) {
	for _, c := range p.Spec.ResourceClaims[:min(len(p.Spec.ResourceClaims), mostAsks)] {
		a := Ask{}
		if c.ResourceClaimName != nil {
			a.Claim = Clip(*c.ResourceClaimName)
		}
		if c.ResourceClaimTemplateName != nil {
			a.Template = Clip(*c.ResourceClaimTemplateName)
		}
		for _, s := range p.Status.ResourceClaimStatuses {
			if s.Name == c.Name && s.ResourceClaimName != nil {
				a.Claim = Clip(*s.ResourceClaimName)
			}
		}
		list = append(list, a)
	}
	return list
}

// Claimed counts what pods ask for by claims, and drops those that ask for no GPU at
// all. claims and templates are by namespace/name. A claim that several pods share is
// counted for the oldest of them that has not ended: its GPUs are held once.
func Claimed(pods []Pod, claims, templates map[string]Claim) []Pod {
	if !slices.ContainsFunc(pods, func(p Pod) bool { return len(p.Asks) > 0 }) {
		return pods
	}
	slices.SortFunc(pods, older)
	counted := map[string]bool{}
	kept := pods[:0]
	for _, p := range pods {
		for _, a := range p.Asks {
			p.ask(a, claims, templates, counted)
		}
		if p.GPUs > 0 || len(p.Problems) > 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

func (p *Pod) ask(a Ask, claims, templates map[string]Claim, counted map[string]bool) {
	key := Bare(p.Namespace) + "/" + a.Claim
	c, known := claims[key]
	if a.Claim == "" || !known {
		c, known = templates[Bare(p.Namespace)+"/"+a.Template]
	}
	switch {
	case !known || p.Over:
		return
	case a.Template == "" && counted[key]:
		return
	case c.All:
		c.GPUs = max(0, usualGPUs-p.GPUs)
	}
	counted[key] = true
	if p.GPUs += c.GPUs; p.GPUs > mostGPUs {
		p.problem("its claims ask for %d GPUs; a pod runs on one node and asks for 1 to %d", p.GPUs, mostGPUs)
		p.GPUs = 0
	}
}
