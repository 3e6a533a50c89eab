package webhook

import (
	"encoding/json"
	"fmt"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// The priority class of pods that Muster starts, as admission.yaml creates it.
const (
	className  = "muster-managed"
	classValue = 1_000_000
	neverWord  = "Never"
)

// resources are what counts as GPUs at admission.
var resources = []string{"nvidia.com/gpu", "amd.com/gpu"}

// pod is the part of a pod that is looked at.
type pod struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Containers        []container      `json:"containers"`
		InitContainers    []container      `json:"initContainers"`
		SchedulingGates   []schedulingGate `json:"schedulingGates"`
		PriorityClassName string           `json:"priorityClassName"`
		Priority          *int32           `json:"priority"`
		PreemptionPolicy  string           `json:"preemptionPolicy"`
	} `json:"spec"`
}

type container struct {
	Resources struct {
		Limits   map[string]json.RawMessage `json:"limits"`
		Requests map[string]json.RawMessage `json:"requests"`
	} `json:"resources"`
}

type schedulingGate struct {
	Name string `json:"name"`
}

// Operation is a step of a JSON patch (RFC 6902).
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Mutate is the JSON patch that makes a pod wait for Muster; none for a pod that asks
// for no GPU, has no target, or is as it should be already.
func Mutate(object []byte) ([]Operation, error) {
	var p pod
	if err := json.Unmarshal(object, &p); err != nil {
		return nil, fmt.Errorf("the object is no pod: %w", err)
	}
	if _, ok := p.Metadata.Labels[translate.LabelTarget]; !ok || !p.asksForGPUs() {
		return nil, nil
	}
	var patch []Operation
	if add, missing := p.gate(); missing {
		patch = append(patch, add)
	}
	set := func(differs bool, field string, value any) {
		if differs {
			patch = append(patch, Operation{"add", "/spec/" + field, value}) // add replaces a member that is there
		}
	}
	set(p.Spec.PriorityClassName != className, "priorityClassName", className)
	set(p.Spec.Priority == nil || *p.Spec.Priority != classValue, "priority", classValue)
	set(p.Spec.PreemptionPolicy != neverWord, "preemptionPolicy", neverWord)
	return patch, nil
}

// gate is the step that adds Muster's gate, where it is missing.
func (p *pod) gate() (add Operation, missing bool) {
	for _, g := range p.Spec.SchedulingGates {
		if g.Name == translate.Gate {
			return Operation{}, false
		}
	}
	if p.Spec.SchedulingGates == nil {
		return Operation{"add", "/spec/schedulingGates", []schedulingGate{{translate.Gate}}}, true
	}
	return Operation{"add", "/spec/schedulingGates/-", schedulingGate{translate.Gate}}, true
}

func (p *pod) asksForGPUs() bool {
	for _, list := range [][]container{p.Spec.Containers, p.Spec.InitContainers} {
		for _, c := range list {
			for _, name := range resources {
				_, limits := c.Resources.Limits[name]
				_, requests := c.Resources.Requests[name]
				if limits || requests {
					return true
				}
			}
		}
	}
	return false
}
