package kube

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/muster-fleet/muster/internal/run/executor"
)

// validationJobsAim is where Jobs are made that validate nodes, and visitJobsAim where those are made that update them.
var (
	validationJobsAim = aim{group: "batch", resource: "jobs", namespace: ValidationNamespace}
	visitJobsAim      = aim{group: "batch", resource: "jobs", namespace: VisitNamespace}
)

// makesJobs says whether a call makes Jobs where an agent lets them be made.
func (a aim) makesJobs() bool { return a == validationJobsAim || a == visitJobsAim }

// madeJob is what a Job says that was made for an order.
type madeJob struct {
	Metadata struct {
		Name        string            `json:"name"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Deadline int64 `json:"activeDeadlineSeconds"`
		Template struct {
			Metadata struct {
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
		} `json:"template"`
	} `json:"spec"`
}

// longestValidation bounds how long a Job may run that comes over the line.
const longestValidation = 7 * 24 * time.Hour

// notesOfJob and notesOfPod are what the Jobs of validation say of themselves.
var (
	notesOfJob = []string{"muster.dev/blueprint", "muster.dev/cluster", noteOrder, noteNodeUID}
	notesOfPod = notesOfJob[:2]
)

// barsValidation makes the Job anew, by the template that the cluster's own people keep, and lets
// through what is the same in every part. So no server runs anything else on a node.
func (d *door) barsValidation(ctx context.Context, w write) string {
	var is madeJob
	var whole map[string]any
	if json.Unmarshal(w.body, &is) != nil || json.Unmarshal(w.body, &whole) != nil {
		return "its body is no JSON"
	}
	blueprint, _, _ := cutLast(is.Metadata.Annotations["muster.dev/blueprint"])
	j := nodeJob{
		name: is.Metadata.Name, namespace: ValidationNamespace, template: blueprint, node: is.Metadata.Annotations["muster.dev/node"],
		labels: map[string]string{labelValidation: "true"}, notes: only(is.Metadata.Annotations, notesOfJob), tells: only(is.Spec.Template.Metadata.Annotations, notesOfPod),
		lasts: time.Duration(is.Spec.Deadline) * time.Second,
	}
	if j.node == "" || !segments.MatchString("/"+j.template) || j.lasts < leastValidation || j.lasts > longestValidation {
		return "the agent lets only Jobs be made that validate a node"
	}
	return d.barsUnlike(ctx, j, whole)
}

// barsVisit does the same with a Job that updates a node in its visit.
func (d *door) barsVisit(ctx context.Context, w write) string {
	var is madeJob
	var whole map[string]any
	if json.Unmarshal(w.body, &is) != nil || json.Unmarshal(w.body, &whole) != nil {
		return "its body is no JSON"
	}
	notes := is.Metadata.Annotations
	j := nodeJob{
		name: jobName(executor.Order{ID: notes["muster.dev/visit"]}), namespace: VisitNamespace, template: notes["muster.dev/update"], node: notes["muster.dev/node"],
		notes: only(notes, notesOfVisit), tells: only(is.Spec.Template.Metadata.Annotations, tellsOfVisit),
		lasts: time.Duration(is.Spec.Deadline) * time.Second, kept: keepJobs,
	}
	if j.node == "" || !segments.MatchString("/"+j.template) || j.lasts < leastVisit || j.lasts > longestVisit {
		return "the agent lets only Jobs be made that update a node"
	}
	return d.barsUnlike(ctx, j, whole)
}

// What the Jobs of visits say of themselves and to their pods, and how long one may run: an update lasts 14 days at most.
var (
	notesOfVisit = []string{"muster.dev/visit", "muster.dev/update"}
	tellsOfVisit = []string{"muster.dev/update", "muster.dev/component", "muster.dev/version"}
)

const (
	leastVisit   = 10 * time.Minute
	longestVisit = patienceX * 14 * 24 * time.Hour
)

// barsUnlike says why a Job is not the one that the cluster's own template makes.
func (d *door) barsUnlike(ctx context.Context, j nodeJob, whole map[string]any) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	template, err := d.client.podTemplate(ctx, j.namespace, j.template)
	if err != nil {
		return "the agent cannot see the template: " + err.Error()
	}
	if ours, err := j.object(template); err != nil || !sameJSON(ours.Object, whole) {
		return "the agent lets only Jobs be made that are as PodTemplate " + j.namespace + "/" + j.template + " says"
	}
	return ""
}

// cutLast cuts NAME/VERSION.
func cutLast(s string) (before, after string, found bool) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// only is the part of a map that has these keys.
func only(of map[string]string, keys []string) map[string]string {
	part := map[string]string{}
	for _, key := range keys {
		if value, has := of[key]; has {
			part[key] = value
		}
	}
	return part
}

// sameJSON says whether two objects are written alike.
func sameJSON(a, b map[string]any) bool {
	data, err := json.Marshal(a)
	var again map[string]any
	return err == nil && json.Unmarshal(data, &again) == nil && reflect.DeepEqual(again, b)
}
