package kube

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// plainPod is a gated pod of one owner that asks for a node.
func plainPod(name, owner string) *corev1.Pod {
	yes := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "oak", UID: types.UID(name), Labels: map[string]string{translate.LabelTarget: "q"}, Annotations: map[string]string{},
			OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Name: owner, UID: types.UID("uid-" + owner), Controller: &yes}},
		},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: translate.Gate}},
			Containers:      []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}}}},
		},
	}
}

// TestHostilePodsHarmNobody gives pods that make no sense, or ask for what is not
// theirs, to the agent beside one that is well. That one runs, none of the others takes
// what is another's, and of each it is known what is wrong.
func TestHostilePodsHarmNobody(t *testing.T) {
	note := func(key, value string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Annotations[key] = value } }
	for _, c := range []struct {
		what    string
		make    func(p *corev1.Pod)
		said    string // part of a problem, or of a refusal; "": nothing is wrong with it
		refused bool   // it never becomes a workload
	}{
		{"10,000 annotations", func(p *corev1.Pod) {
			for i := range 10_000 {
				p.Annotations[fmt.Sprint("example.com/", i)] = strings.Repeat("x", 20)
			}
		}, "", false},
		{"a value of a megabyte", note("example.com/huge", strings.Repeat("\xff", 1<<20)), "", false},
		{"a priority of a megabyte", note(translate.AnnotationPriority, strings.Repeat("!", 1<<20)), "priority", false},
		{"a size below zero", note(translate.AnnotationReplicas, "-3"), "replicas", false},
		{"a size in floats", note(translate.AnnotationReplicas, "1e9"), "replicas", false},
		{"a size in letters", note(translate.AnnotationReplicas, "abc"), "replicas", false},
		{"a size that nobody has", note(translate.AnnotationReplicas, "999999999999999999999"), "replicas", false},
		{"a size backwards", note(translate.AnnotationReplicas, "8..2"), "replicas", false},
		{"another team's quota", func(p *corev1.Pod) { p.Labels[translate.LabelTarget] = "theirs" }, "access list", true},
		{"no such quota", func(p *corev1.Pod) { p.Labels[translate.LabelTarget] = "nobody.s" }, "quota", true},
		{"a target that is no path", note(translate.AnnotationTarget, strings.Repeat("a/", 1000)), "target", true},
		{"more GPUs than a node has", func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits["nvidia.com/gpu"] = resource.MustParse("4611686018427387904")
		}, "GPUs", true},
		{"a grace for ever", note(translate.AnnotationGrace, "2562047h"), "", false},
		{"a workload called like a path", func(p *corev1.Pod) { p.Labels[translate.LabelWorkload] = "../../oak" }, "", false},
		{"another one's workload", func(p *corev1.Pod) { p.Labels[translate.LabelWorkload], p.Namespace = "well", "elm" }, "", true},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := newHouseWith(t, 1)
			h.do(core.CreateQuota{Path: "theirs", Access: fleet.Access{Namespaces: []string{"tiger/ash"}}})
			h.do(core.SetAccess{Path: "q", Access: fleet.Access{Namespaces: []string{"oak"}}})
			o := translate.Defaults("tiger")
			bad := plainPod("bad-0", "bad")
			c.make(bad)
			well, _ := translate.PodOf(plainPod("well-0", "well"), &o)
			is, _ := translate.PodOf(bad, &o)
			h.pods = []translate.Pod{well, is}
			for range 4 {
				h.now = h.now.Add(5 * time.Second)
				h.shown = append([]translate.Pod(nil), h.pods...)
				h.round()
				h.bind()
			}
			said := fmt.Sprint(is.Problems, h.refused)
			if !strings.Contains(said, c.said) || c.said == "" && len(is.Problems) > 0 {
				t.Errorf("it is said %.300s, want a word about %q", said, c.said)
			}
			if len(said) > 3000 {
				t.Errorf("a word of %d bytes", len(said))
			}
			if !h.started("well-0") {
				t.Error("the pod beside it does not run")
			}
			if h.started("bad-0") == c.refused {
				t.Errorf("it was started: %t", h.started("bad-0"))
			}
		})
	}
}

func (h *house) started(name string) bool {
	for _, p := range h.pods {
		if p.Name == name {
			return !p.Gated
		}
	}
	return false
}

// TestALabelThatChangesMovesNothing changes the target of a pod that runs: the workload
// stays what it was submitted as, and that is said.
func TestALabelThatChangesMovesNothing(t *testing.T) {
	h := newHouseWith(t, 1)
	o := translate.Defaults("tiger")
	p, _ := translate.PodOf(plainPod("well-0", "well"), &o)
	q, _ := translate.PodOf(plainPod("well-1", "well"), &o)
	h.pods = []translate.Pod{p, q}
	round := func() {
		h.now = h.now.Add(5 * time.Second)
		h.shown = append([]translate.Pod(nil), h.pods...)
		h.round()
		h.bind()
	}
	round()
	round()
	h.pods[1].Wishes.Target = fleet.Flex
	round()
	work := translate.Group(h.pods)
	if len(work) != 1 || len(work[0].Problems) == 0 || !strings.Contains(work[0].Problems[0].Text, "flex") {
		t.Errorf("it is said %+v", work)
	}
	h.e.Read(func(s *fleet.State) {
		if w := s.Workload("oak", "well"); w == nil || w.Target != "q" || w.State != fleet.RunningW {
			t.Errorf("it is %+v", w)
		}
	})
}

func TestSuspendedObjectsArePicturedAsTheirPods(t *testing.T) {
	o := translate.Defaults("tiger")
	template := map[string]any{
		"metadata": map[string]any{"labels": map[string]any{translate.LabelTarget: "q"}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "m", "resources": map[string]any{"limits": map[string]any{"nvidia.com/gpu": "8"}}}}},
	}
	job := func(edit func(u map[string]any)) *unstructured.Unstructured {
		u := map[string]any{
			"kind": "Job", "metadata": map[string]any{"name": "j", "namespace": "oak", "uid": "u"},
			"spec": map[string]any{"suspend": true, "parallelism": int64(3), "completions": int64(2), "template": template},
		}
		edit(u)
		return &unstructured.Unstructured{Object: u}
	}
	spec := func(u map[string]any) map[string]any { return u["spec"].(map[string]any) }
	for what, c := range map[string]struct {
		edit func(u map[string]any)
		pods int
	}{
		"a Job":                 {func(map[string]any) {}, 2},
		"one that is not":       {func(u map[string]any) { spec(u)["suspend"] = false }, 0},
		"a wrong size":          {func(u map[string]any) { spec(u)["parallelism"], spec(u)["completions"] = int64(-3), "x" }, 1},
		"a size of a billion":   {func(u map[string]any) { spec(u)["parallelism"], spec(u)["completions"] = int64(1e9), nil }, 1},
		"a template of nothing": {func(u map[string]any) { spec(u)["template"] = "none" }, 0},
		"a spec of nothing":     {func(u map[string]any) { u["spec"] = int64(7) }, 0},
		"another queue's": {func(u map[string]any) {
			u["metadata"].(map[string]any)["labels"] = map[string]any{"kueue.x-k8s.io/queue-name": "main"}
		}, 0},
		"a part of something": {func(u map[string]any) {
			u["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"kind": "JobSet", "name": "s", "uid": "x", "controller": true}}
		}, 0},
		"a JobSet": {func(u map[string]any) {
			u["kind"], spec(u)["replicatedJobs"] = "JobSet", []any{map[string]any{"name": "w", "replicas": int64(2), "template": map[string]any{"spec": map[string]any{"parallelism": int64(2), "template": template}}}, "no job"}
		}, 4},
		"a JobSet without a part": {func(u map[string]any) { u["kind"] = "JobSet" }, 0},
	} {
		s, ok := translate.SuspendableOf(job(c.edit), &o)
		pods := translate.Draw([][]translate.Picture{s.Pods})
		if ok != (c.pods > 0) || len(pods) != c.pods {
			t.Errorf("%s: %d pods, %t; want %d", what, len(pods), ok, c.pods)
			continue
		}
		for _, work := range translate.Group(pods) {
			if len(work.Pools) != 1 || work.Pools[0].Pool.Max != c.pods || work.Target != "q" {
				t.Errorf("%s: %+v", what, work.Pools[0].Pool)
			}
		}
	}
}
