package webhook

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// The priority class of pods that Muster starts, as admission.yaml creates it.
const (
	className  = "muster-managed"
	classValue = 1_000_000
)

// resources are what counts as GPUs at admission.
var resources = []corev1.ResourceName{"nvidia.com/gpu", "amd.com/gpu"}

// Options say how pods come to wait for Muster.
type Options struct {
	// Direct says that Muster binds pods by itself. Without it every pod waits by a gate, and
	// kube-scheduler binds it.
	Direct bool
}

// pod is the part of a pod that is looked at, or of a template of pods.
type pod struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec corev1.PodSpec `json:"spec"`
}

// Operation is a step of a JSON patch (RFC 6902).
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Mutate is the JSON patch that makes a pod wait for Muster; none for a pod that asks
// for no GPU, has no target, or is as it should be already.
func (o Options) Mutate(object []byte) ([]Operation, error) {
	var p pod
	if err := json.Unmarshal(object, &p); err != nil {
		return nil, fmt.Errorf("the object is no pod: %w", err)
	}
	if !p.managed() {
		return nil, nil
	}
	patch := o.waits(&p.Spec, "/spec")
	set := func(differs bool, field string, value any) {
		if differs {
			patch = append(patch, Operation{"add", "/spec/" + field, value}) // add replaces a member that is there
		}
	}
	set(p.Spec.PriorityClassName != className, "priorityClassName", className)
	set(p.Spec.Priority == nil || *p.Spec.Priority != classValue, "priority", classValue)
	set(p.Spec.PreemptionPolicy == nil || *p.Spec.PreemptionPolicy != corev1.PreemptNever, "preemptionPolicy", corev1.PreemptNever)
	return patch, nil
}

// managed says whether the pod is Muster's to start.
func (p *pod) managed() bool {
	_, ok := p.Metadata.Labels[translate.LabelTarget]
	return ok && p.asksForGPUs()
}

// waits are the steps that let a pod wait, whose specification is at a path: with Muster as its
// scheduler, or by Muster's gate where it needs kube-scheduler.
func (o Options) waits(s *corev1.PodSpec, at string) []Operation {
	gated := slices.ContainsFunc(s.SchedulingGates, func(g corev1.PodSchedulingGate) bool { return g.Name == translate.Gate })
	named := s.SchedulerName == translate.Scheduler
	if o.Direct && !gated && !needsKubeScheduler(s) {
		if named {
			return nil
		}
		return []Operation{{"add", at + "/schedulerName", translate.Scheduler}}
	}
	var patch []Operation
	if named {
		patch = append(patch, Operation{"add", at + "/schedulerName", corev1.DefaultSchedulerName})
	}
	switch {
	case gated:
	case s.SchedulingGates == nil:
		patch = append(patch, Operation{"add", at + "/schedulingGates", []corev1.PodSchedulingGate{{Name: translate.Gate}}})
	default:
		patch = append(patch, Operation{"add", at + "/schedulingGates/-", corev1.PodSchedulingGate{Name: translate.Gate}})
	}
	return patch
}

// needsKubeScheduler says whether a pod needs what only kube-scheduler looks at, or names a
// scheduler of its own.
func needsKubeScheduler(s *corev1.PodSpec) bool {
	own := !slices.Contains([]string{"", corev1.DefaultSchedulerName, translate.Scheduler}, s.SchedulerName)
	return own || nodefit.HandOn(&corev1.Pod{Spec: *s}, translate.Gate) != ""
}

func (p *pod) asksForGPUs() bool {
	if len(p.Spec.ResourceClaims) > 0 {
		return true
	}
	return slices.ContainsFunc(slices.Concat(p.Spec.Containers, p.Spec.InitContainers), func(c corev1.Container) bool {
		return slices.ContainsFunc(resources, func(name corev1.ResourceName) bool {
			_, limits := c.Resources.Limits[name]
			_, requests := c.Resources.Requests[name]
			return limits || requests
		})
	})
}
