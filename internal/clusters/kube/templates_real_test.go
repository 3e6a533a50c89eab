package kube

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// madeTemplate is what admission makes of a template of pods, as far as Muster cares.
type madeTemplate struct {
	Spec struct {
		SchedulerName, PriorityClassName string
		SchedulingGates                  []struct{ Name string }
	}
}

func (p *madeTemplate) said() string {
	gates := ""
	for _, g := range p.Spec.SchedulingGates {
		gates += " " + g.Name
	}
	return p.Spec.SchedulerName + " " + p.Spec.PriorityClassName + gates
}

// What a template says that Muster binds, that kube-scheduler binds, and that is none of Muster's.
const (
	saysMuster = "muster muster-managed"
	saysGate   = "default-scheduler muster-managed " + translate.Gate
	saysOthers = "default-scheduler "
)

// templateOf is a template of pods like one.
func templateOf(p kubetest.JSON, label string) kubetest.JSON {
	meta := p["metadata"].(kubetest.JSON)
	meta["labels"].(kubetest.JSON)["app"] = label
	return kubetest.JSON{"metadata": kubetest.JSON{"labels": meta["labels"], "annotations": meta["annotations"]}, "spec": p["spec"]}
}

// TestTemplatesCarryWhatPodsNeed gives templates to the policy and to the webhook: each is changed
// once, where it is made, so that no pod of it is changed. What was there before Muster stays.
func TestTemplatesCarryWhatPodsNeed(t *testing.T) {
	w := binding(t, 1, 2, map[string]int{"oak": 16})
	w.namespace("hook", 0)
	w.call(http.MethodPatch, "/api/v1/namespaces/hook", kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"hooked": "true"}}}, nil)
	defer w.hooked("hooked", "Fail")()
	spread := []kubetest.JSON{{
		"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": kubetest.JSON{"matchLabels": kubetest.JSON{"app": "x"}},
	}}
	for _, c := range []struct {
		what string
		make func(p kubetest.JSON)
		want string
	}{
		{"with a target", func(p kubetest.JSON) { target(p, "oak") }, saysMuster},
		{"without one", func(kubetest.JSON) {}, saysOthers},
		{"for kube-scheduler", func(p kubetest.JSON) {
			target(p, "oak")
			p["spec"].(kubetest.JSON)["topologySpreadConstraints"] = spread
		}, saysGate},
		{"of importance of its own", func(p kubetest.JSON) {
			target(p, "oak")
			p["spec"].(kubetest.JSON)["priority"], p["spec"].(kubetest.JSON)["preemptionPolicy"] = 7, "PreemptLowerPriority"
		}, saysMuster},
		{"that its author wrote so", func(p kubetest.JSON) { written(target(p, "oak")) }, saysMuster},
		{"that its author wrote so, for kube-scheduler", func(p kubetest.JSON) {
			written(target(p, "oak"))["topologySpreadConstraints"] = spread
		}, saysGate},
		{"whose author wrote a gate", func(p kubetest.JSON) {
			spec := written(target(p, "oak"))
			spec["schedulerName"], spec["schedulingGates"] = "default-scheduler", []kubetest.JSON{{"name": translate.Gate}}
		}, saysGate},
	} {
		for _, space := range []string{"oak", "hook"} {
			for _, kind := range []string{"deployments", "statefulsets"} {
				w.eventually(time.Minute, fmt.Sprintf("%s in %s %s", kind, space, c.what), func() string {
					p := kubetest.Pod(space, "p", 1)
					c.make(p)
					var made struct {
						Spec struct{ Template madeTemplate }
					}
					err := w.c.Call(w.ctx, http.MethodPost, "/apis/apps/v1/namespaces/"+space+"/"+kind+"?dryRun=All", scalable(kind, p), &made)
					if got := made.Spec.Template.said(); err != nil || got != c.want {
						return fmt.Sprintf("%q %v, want %q", got, err, c.want)
					}
					return ""
				})
			}
		}
	}
	w.updatesKeepTemplates()
	w.jobsRunUnchanged()
}

// written says in a pod's specification what admission would: no policy then changes its template.
func written(p kubetest.JSON) kubetest.JSON {
	spec := p["spec"].(kubetest.JSON)
	spec["schedulerName"], spec["priorityClassName"] = translate.Scheduler, "muster-managed"
	return spec
}

// scalable is a Deployment or a StatefulSet of pods like one.
func scalable(kind string, p kubetest.JSON) kubetest.JSON {
	spec := kubetest.JSON{"replicas": 0, "selector": kubetest.JSON{"matchLabels": kubetest.JSON{"app": "x"}}, "template": templateOf(p, "x")}
	object := kubetest.JSON{"apiVersion": "apps/v1", "kind": map[string]string{"deployments": "Deployment", "statefulsets": "StatefulSet"}[kind], "spec": spec}
	if object["metadata"] = (kubetest.JSON{"name": "p"}); kind == "statefulsets" {
		spec["serviceName"] = "p"
	}
	return object
}

// updatesKeepTemplates changes a Deployment that was there before its namespace was enrolled.
func (w *world) updatesKeepTemplates() {
	w.t.Helper()
	enrol := func(how any) {
		w.call(http.MethodPatch, "/api/v1/namespaces/oak", kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"muster.dev/enrolled": how}}}, nil)
	}
	const all, one = "/apis/apps/v1/namespaces/oak/deployments", "/apis/apps/v1/namespaces/oak/deployments/p"
	enrol(nil)
	w.eventually(time.Minute, "a Deployment of before", func() string { // the API server takes a moment to know the label
		var made struct {
			Spec struct{ Template madeTemplate }
		}
		_ = w.c.Call(w.ctx, http.MethodDelete, one, nil, nil)
		err := w.c.Call(w.ctx, http.MethodPost, all, scalable("deployments", target(kubetest.Pod("oak", "p", 1), "oak")), &made)
		if got := made.Spec.Template.said(); err != nil || got != saysOthers {
			return fmt.Sprintf("%q %v", got, err)
		}
		return ""
	})
	enrol("true")
	w.eventually(time.Minute, "the policy", func() string {
		var made struct {
			Spec struct{ Template madeTemplate }
		}
		p := scalable("deployments", target(kubetest.Pod("oak", "q", 1), "oak"))
		p["metadata"] = kubetest.JSON{"name": "q"}
		if err := w.c.Call(w.ctx, http.MethodPost, all+"?dryRun=All", p, &made); err != nil || made.Spec.Template.said() != saysMuster {
			return fmt.Sprintf("%q %v", made.Spec.Template.said(), err)
		}
		return ""
	})
	change := func(what string, spec kubetest.JSON, want string) {
		w.t.Helper()
		var is struct {
			Spec struct{ Template madeTemplate }
		}
		w.call(http.MethodPatch, one, kubetest.JSON{"spec": spec}, &is)
		if got := is.Spec.Template.said(); got != want {
			w.t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	change("scaled", kubetest.JSON{"paused": true}, saysOthers)
	change("its template is changed", kubetest.JSON{"template": kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"new": "1"}}}}, saysMuster)
	change("Muster's things are taken away", kubetest.JSON{"template": kubetest.JSON{"spec": kubetest.JSON{"schedulerName": "default-scheduler", "priorityClassName": nil}}}, saysMuster)
}

// jobsRunUnchanged lets a Job run whose template was changed, and asks that its pods carry that.
func (w *world) jobsRunUnchanged() {
	w.t.Helper()
	w.job(job("oak", "train", 2, "oak"))
	var made struct {
		Spec struct{ Template madeTemplate }
	}
	w.call(http.MethodGet, "/apis/batch/v1/namespaces/oak/jobs/train", nil, &made)
	if got := made.Spec.Template.said(); got != saysMuster {
		w.t.Errorf("the Job's template says %q", got)
	}
	w.eventually(time.Minute, "it runs", w.runs("oak", 2))
	w.sound()
}

// crdOf is a kind of objects that may say anything.
func crdOf(group, version, kind, plural string) kubetest.JSON {
	return kubetest.JSON{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": kubetest.JSON{"name": plural + "." + group},
		"spec": kubetest.JSON{
			"group": group, "scope": "Namespaced", "names": kubetest.JSON{"kind": kind, "plural": plural},
			"versions": []kubetest.JSON{{
				"name": version, "served": true, "storage": true,
				"schema": kubetest.JSON{"openAPIV3Schema": kubetest.JSON{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}
}

// TestTemplatesOfOtherControllersCarryIt does the same for kinds that others define: where each
// keeps its templates.
func TestTemplatesOfOtherControllersCarryIt(t *testing.T) {
	w := binding(t, 1, 1, map[string]int{"oak": 8})
	is := func(gpus bool) kubetest.JSON {
		p := target(kubetest.Pod("oak", "p", 1), "oak")
		if !gpus {
			p["spec"].(kubetest.JSON)["containers"] = []kubetest.JSON{{"name": "main", "image": "none"}}
		}
		return templateOf(p, "x")
	}
	const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	for _, c := range []struct {
		group, version, kind, plural string
		spec                         kubetest.JSON
		want                         []string // by template: whether it was changed
		read                         func(spec map[string]any) []any
	}{
		{"jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", kubetest.JSON{"replicatedJobs": []any{
			kubetest.JSON{"template": kubetest.JSON{"spec": kubetest.JSON{"template": is(false)}}}, kubetest.JSON{"template": kubetest.JSON{"spec": kubetest.JSON{"template": is(true)}}},
		}}, []string{"", "muster"}, func(s map[string]any) []any {
			list := s["replicatedJobs"].([]any)
			return []any{in(list[0], "template", "spec", "template"), in(list[1], "template", "spec", "template")}
		}},
		{"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets", kubetest.JSON{"leaderWorkerTemplate": kubetest.JSON{
			"leaderTemplate": is(true), "workerTemplate": is(true),
		}}, []string{"muster", "muster"}, func(s map[string]any) []any {
			return []any{in(s, "leaderWorkerTemplate", "leaderTemplate"), in(s, "leaderWorkerTemplate", "workerTemplate")}
		}},
		{"ray.io", "v1", "RayCluster", "rayclusters", kubetest.JSON{
			"headGroupSpec": kubetest.JSON{"template": is(false)}, "workerGroupSpecs": []any{kubetest.JSON{"template": is(true)}},
		}, []string{"", "muster"}, func(s map[string]any) []any {
			return []any{in(s, "headGroupSpec", "template"), in(s["workerGroupSpecs"].([]any)[0], "template")}
		}},
		{"kubeflow.org", "v2beta1", "MPIJob", "mpijobs", kubetest.JSON{"mpiReplicaSpecs": kubetest.JSON{
			"Launcher": kubetest.JSON{"template": is(false)}, "Worker": kubetest.JSON{"template": is(true)},
		}}, []string{"", "muster"}, func(s map[string]any) []any {
			return []any{in(s, "mpiReplicaSpecs", "Launcher", "template"), in(s, "mpiReplicaSpecs", "Worker", "template")}
		}},
	} {
		if w.c.Call(w.ctx, http.MethodGet, crds+"/"+c.plural+"."+c.group, nil, nil) == nil {
			continue // its own controller's tests have defined it, and try it with that
		}
		w.call(http.MethodPost, crds, crdOf(c.group, c.version, c.kind, c.plural), nil)
		t.Cleanup(func() { w.undefine(crds + "/" + c.plural + "." + c.group) })
		w.eventually(time.Minute, c.kind, func() string {
			object := kubetest.JSON{"apiVersion": c.group + "/" + c.version, "kind": c.kind, "metadata": kubetest.JSON{"name": "p"}, "spec": c.spec}
			var made struct{ Spec map[string]any }
			path := fmt.Sprintf("/apis/%s/%s/namespaces/oak/%s?dryRun=All", c.group, c.version, c.plural)
			if err := w.c.Call(w.ctx, http.MethodPost, path, object, &made); err != nil {
				return err.Error()
			}
			var got []string
			for _, of := range c.read(made.Spec) {
				name, _ := in(of, "spec", "schedulerName").(string)
				got = append(got, name)
			}
			if !reflect.DeepEqual(got, c.want) {
				return fmt.Sprintf("%q, want %q", got, c.want)
			}
			return ""
		})
	}
}

// in is what stands at a path in an object.
func in(of any, path ...string) any {
	for _, name := range path {
		members, _ := of.(map[string]any)
		of = members[name]
	}
	return of
}

// undefine takes a kind of objects away, and waits until it is gone.
func (w *world) undefine(path string) {
	w.eventually(time.Minute, "a kind that is gone", func() string {
		_ = w.c.Call(context.Background(), http.MethodDelete, path, nil, nil)
		if err := w.c.Call(context.Background(), http.MethodGet, path, nil, nil); codeOf(err) != http.StatusNotFound {
			return "it is there"
		}
		return ""
	})
}
