package kueue

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// Workload is what one of Kueue's Workloads says.
type Workload struct {
	Namespace, Owner string // what it is for: as its pods name their owner
	Queue            string // the local queue
	Pods             []translate.Picture
	Over             bool   // it has ended
	Says             string // why it waits, in Kueue's words; "": it does not, or nothing is said
}

// mostPods bounds what one Workload is believed to ask for.
const mostPods = 20_000

// WorkloadOf reads a Workload. The pods of one whose job Kueue keeps suspended do
// not exist: what they will ask for stands in the Workload. ok is false for one
// that asks for no GPU.
func WorkloadOf(of *unstructured.Unstructured, o *translate.Options) (w Workload, ok bool) {
	w = Workload{Namespace: o.Called(of.GetNamespace()), Over: status(of, "Finished") == "True", Says: says(of)}
	w.Queue, _, _ = unstructured.NestedString(of.Object, "spec", "queueName")
	owner := metav1.GetControllerOf(of)
	if owner == nil {
		return w, false
	}
	sets, _, _ := unstructured.NestedSlice(of.Object, "spec", "podSets")
	for _, set := range sets {
		set, _ := set.(map[string]any)
		w.add(set, of, *owner, len(sets) > 1, o)
	}
	if len(w.Pods) == 0 {
		return w, false
	}
	w.Owner = w.Pods[0].Like.Workload()[1]
	return w, true
}

// add reads a pod set: so many pods of one template.
func (w *Workload) add(set map[string]any, of *unstructured.Unstructured, owner metav1.OwnerReference, several bool, o *translate.Options) {
	name, _ := set["name"].(string)
	count, _ := set["count"].(int64)
	template, _ := set["template"].(map[string]any)
	var t corev1.PodTemplateSpec
	if translate.TemplateInto(template, &t) != nil || count < 1 {
		return
	}
	t.CreationTimestamp = of.GetCreationTimestamp()
	p := corev1.Pod{ObjectMeta: t.ObjectMeta, Spec: t.Spec}
	p.Namespace, p.OwnerReferences = of.GetNamespace(), []metav1.OwnerReference{owner}
	p.Name, p.UID = owner.Name, of.GetUID()
	pod, ok := translate.PodOf(&p, o)
	if !ok {
		return
	}
	pod.Made.Author = "" // it is not made yet, and a template says what anyone has written
	if pod.Wishes.Queue = w.Queue; several && pod.Owner.Pool == "" {
		pod.Owner.Pool = name
	}
	w.Pods = append(w.Pods, translate.PictureOf(pod, int(min(count, mostPods)), fmt.Sprintf("%s/%s/", of.GetUID(), name)))
}

func status(of *unstructured.Unstructured, kind string) string {
	if c := condition(of, kind); c != nil {
		text, _ := c["status"].(string)
		return text
	}
	return ""
}

func condition(of *unstructured.Unstructured, kind string) map[string]any {
	for _, c := range maps(map[string]any{"of": conditions(of)}, "of") {
		if c["type"] == kind {
			return c
		}
	}
	return nil
}

func conditions(of *unstructured.Unstructured) []any {
	list, _, _ := unstructured.NestedSlice(of.Object, "status", "conditions")
	return list
}

// says is why Kueue keeps a workload waiting: it has no quota, or a check is not passed.
func says(of *unstructured.Unstructured) string {
	for _, kind := range []string{"QuotaReserved", "Admitted"} {
		if c := condition(of, kind); c != nil && c["status"] == "False" {
			reason, _ := c["reason"].(string)
			message, _ := c["message"].(string)
			return translate.Clip(reason + ": " + message)
		}
	}
	return ""
}

// Complete puts what Workloads say to the pods of a cluster: a pod is counted for
// the queue of its Workload, and of a workload that Kueue keeps waiting, the pods
// are as they will be. Of several Workloads of one owner the first by UID counts.
func Complete(pods []translate.Pod, workloads []Workload) []translate.Pod {
	workloads = slices.Clone(workloads)
	slices.SortFunc(workloads, func(a, b Workload) int { return strings.Compare(a.Pods[0].Like.UID, b.Pods[0].Like.UID) })
	by := map[[2]string]string{}
	for _, w := range workloads {
		if w.Queue != "" {
			by[[2]string{w.Namespace, w.Owner}] = w.Queue
		}
	}
	there := map[[2]string]bool{}
	for i := range pods {
		key := pods[i].Workload()
		there[key] = true
		if pods[i].Wishes.Queue == "" {
			pods[i].Wishes.Queue = by[key]
		}
	}
	var objects [][]translate.Picture
	for _, w := range workloads {
		if key := [2]string{w.Namespace, w.Owner}; !w.Over && !there[key] {
			objects, there[key] = append(objects, w.Pods), true
		}
	}
	return append(pods, translate.Draw(objects)...)
}
