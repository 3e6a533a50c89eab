package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// maker is the part of what makes pods that is looked at: where each kind keeps its templates.
type maker struct {
	Spec struct {
		Template       json.RawMessage `json:"template"` // of a Job, a Deployment, a StatefulSet
		ReplicatedJobs []struct {
			Template struct {
				Spec struct {
					Template json.RawMessage `json:"template"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"replicatedJobs"` // of a JobSet
		LeaderWorkerTemplate struct {
			LeaderTemplate json.RawMessage `json:"leaderTemplate"`
			WorkerTemplate json.RawMessage `json:"workerTemplate"`
		} `json:"leaderWorkerTemplate"` // of a LeaderWorkerSet
		HeadGroupSpec    group            `json:"headGroupSpec"` // of a RayCluster
		WorkerGroupSpecs []group          `json:"workerGroupSpecs"`
		MPIReplicaSpecs  map[string]group `json:"mpiReplicaSpecs"` // of an MPIJob
	} `json:"spec"`
}

type group struct {
	Template json.RawMessage `json:"template"`
}

// template is a template of pods, and where it stands.
type template struct {
	at string
	is json.RawMessage
}

// templates lists the templates of what makes pods.
func (m *maker) templates() (list []template) {
	add := func(is json.RawMessage, format string, args ...any) {
		if len(is) > 0 && !bytes.Equal(is, []byte("null")) {
			list = append(list, template{fmt.Sprintf(format, args...), is})
		}
	}
	add(m.Spec.Template, "/spec/template")
	for i, job := range m.Spec.ReplicatedJobs {
		add(job.Template.Spec.Template, "/spec/replicatedJobs/%d/template/spec/template", i)
	}
	add(m.Spec.LeaderWorkerTemplate.LeaderTemplate, "/spec/leaderWorkerTemplate/leaderTemplate")
	add(m.Spec.LeaderWorkerTemplate.WorkerTemplate, "/spec/leaderWorkerTemplate/workerTemplate")
	add(m.Spec.HeadGroupSpec.Template, "/spec/headGroupSpec/template")
	for i, g := range m.Spec.WorkerGroupSpecs {
		add(g.Template, "/spec/workerGroupSpecs/%d/template", i)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Spec.MPIReplicaSpecs)) {
		add(m.Spec.MPIReplicaSpecs[name].Template, "/spec/mpiReplicaSpecs/%s/template", name)
	}
	return list
}

// MutateMaker is the JSON patch that lets all pods wait for Muster which an object will make:
// its templates are changed, so that its pods need not be. old is the object before an update;
// empty: it is new. A template that stays as it was is left alone.
func (o Options) MutateMaker(object, old []byte) (patch []Operation, err error) {
	var m, before maker
	if err := json.Unmarshal(object, &m); err != nil {
		return nil, fmt.Errorf("the object makes no pods: %w", err)
	}
	if len(old) > 0 {
		if err := json.Unmarshal(old, &before); err != nil {
			return nil, fmt.Errorf("the old object makes no pods: %w", err)
		}
	}
	was := before.templates()
	for _, t := range m.templates() {
		if slices.ContainsFunc(was, func(b template) bool { return bytes.Equal(b.is, t.is) }) {
			continue
		}
		steps, err := o.mutateTemplate(t)
		if err != nil {
			return nil, err
		}
		patch = append(patch, steps...)
	}
	return patch, nil
}

// mutateTemplate changes one template. The numbers that follow from the priority class are left
// to the API server, which refuses a pod that says others.
func (o Options) mutateTemplate(t template) ([]Operation, error) {
	var p pod
	if err := json.Unmarshal(t.is, &p); err != nil {
		return nil, fmt.Errorf("%s is no template of pods: %w", t.at, err)
	}
	if !p.managed() {
		return nil, nil
	}
	at := t.at + "/spec"
	patch := o.waits(&p.Spec, at)
	if p.Spec.PriorityClassName != className {
		patch = append(patch, Operation{"add", at + "/priorityClassName", className})
	}
	if p.Spec.Priority != nil {
		patch = append(patch, Operation{Op: "remove", Path: at + "/priority"})
	}
	if p.Spec.PreemptionPolicy != nil {
		patch = append(patch, Operation{Op: "remove", Path: at + "/preemptionPolicy"})
	}
	return patch, nil
}
