package translate

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Quota is what a cluster grants a namespace or a queue.
type Quota struct {
	Path       string
	Namespaces []string // who may use it
	Unsure     bool     // whether others may is not known now
	Grants     []Grant
	Problems   []Problem
}

// Grant is so many GPUs of one model. Model "" leaves open which.
type Grant struct {
	Model string
	GPUs  int
}

// mostGrant is above any grant that is believed.
const mostGrant = 10_000_000

// FromResourceQuota reads a ResourceQuota. ok is false for one that says nothing
// of GPUs. It is the quota of its namespace.
func FromResourceQuota(q *corev1.ResourceQuota, o *Options) (out Quota, ok bool) {
	for _, name := range o.Resources {
		for _, key := range []string{"requests." + name, "limits." + name} {
			hard, said := q.Spec.Hard[corev1.ResourceName(key)]
			if !said {
				continue
			}
			out = Quota{Path: plainName(q.Namespace), Namespaces: []string{q.Namespace}}
			if n := hard.Value(); n < 0 || n > mostGrant {
				out.problem("resourcequota/"+q.Namespace+"/"+q.Name, "it grants "+Clip(hard.String())+" GPUs, which no fleet has")
			} else {
				out.Grants = []Grant{{GPUs: int(n)}}
			}
			return out, true
		}
	}
	return Quota{}, false
}

func (q *Quota) problem(object, text string) {
	q.Problems = append(q.Problems, Problem{object, text})
}

// Annotations of Kueue's objects that Muster writes.
const (
	AnnotationAssigned = "muster.dev/assigned" // GPUs that people granted, by flavor: the nominal quota is what of them is backed
	AnnotationFlex     = "muster.dev/flex"     // the queue is Muster's own
)

// Kueue is what Kueue's objects say.
type Kueue struct {
	ClusterQueues, LocalQueues, Flavors []*unstructured.Unstructured

	Namespaces map[string]map[string]string // the labels of the cluster's namespaces; nil: it does not show them
}

// Quotas reads Kueue's queues: a ClusterQueue is a quota, in the tree of its
// cohort, and a namespace that it lets in and that has a LocalQueue to it may use it. Queues maps a LocalQueue, as
// namespace/name, to its quota's path. Both are in order, whatever that of the objects.
//
// Where Muster has written a queue, the grant is what people granted, not what of it
// is backed; and Muster's own queue of flex is no quota.
func (k Kueue) Quotas(o *Options) (quotas []Quota, queues map[string]string) {
	paths, queues, selectors := map[string]int{}, map[string]string{}, map[string]labels.Selector{}
	models := k.Models(o)
	flex := map[string]bool{}
	for _, cq := range sorted(k.ClusterQueues) {
		if cq.GetAnnotations()[AnnotationFlex] != "" {
			flex[cq.GetName()] = true
			continue
		}
		q := Quota{Path: PathOf(cq)}
		q.Grants = grantsOf(cq, o, models, &q)
		paths[cq.GetName()], selectors[cq.GetName()] = len(quotas), selectorOf(cq)
		quotas = append(quotas, q)
	}
	for _, lq := range sorted(k.LocalQueues) {
		name, _, _ := unstructured.NestedString(lq.Object, "spec", "clusterQueue")
		at, known := paths[name]
		if flex[name] {
			queues[o.Called(lq.GetNamespace())+"/"+lq.GetName()] = fleet.Flex
		}
		if !known {
			continue
		}
		queues[o.Called(lq.GetNamespace())+"/"+lq.GetName()] = quotas[at].Path
		k.let(lq.GetNamespace(), selectors[name], name, &quotas[at])
	}
	return quotas, queues
}

// let lists a namespace that has a LocalQueue among those that may use a quota, where its ClusterQueue lets it in.
func (k Kueue) let(namespace string, selector labels.Selector, queue string, q *Quota) {
	switch so, known := k.letsIn(selector, namespace); {
	case slices.Contains(q.Namespaces, namespace) || known && !so:
	case so:
		q.Namespaces = append(q.Namespaces, namespace)
	case !q.Unsure:
		q.Unsure = true
		q.problem("clusterqueue/"+queue, "which namespaces it lets in is said by labels of namespaces, which Muster may not read; who may use its quota stays as it is. Apply rbac.yaml anew")
	}
}

func sorted(list []*unstructured.Unstructured) []*unstructured.Unstructured {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list
}

// PathOf is the quota that a ClusterQueue is: cohort/queue. The cohort's field has had two names.
func PathOf(cq *unstructured.Unstructured) string {
	cohort, _, _ := unstructured.NestedString(cq.Object, "spec", "cohortName")
	if cohort == "" {
		cohort, _, _ = unstructured.NestedString(cq.Object, "spec", "cohort")
	}
	if cohort = plainName(cohort); cohort != "" {
		return cohort + "/" + plainName(cq.GetName())
	}
	return plainName(cq.GetName())
}

// Models says which GPU model each flavor is of: by its node labels, else by its name.
func (k Kueue) Models(o *Options) map[string]string {
	models := map[string]string{}
	for _, f := range k.Flavors {
		labels, _, _ := unstructured.NestedStringMap(f.Object, "spec", "nodeLabels")
		models[f.GetName()] = modelName(firstOf(firstLabel(labels, o.Models), f.GetName()))
	}
	return models
}

func grantsOf(cq *unstructured.Unstructured, o *Options, models map[string]string, q *Quota) []Grant {
	by, assigned := map[string]int{}, map[string]int{}
	_ = json.Unmarshal([]byte(cq.GetAnnotations()[AnnotationAssigned]), &assigned) // else its quotas are what people granted
	groups, _, _ := unstructured.NestedSlice(cq.Object, "spec", "resourceGroups")
	for _, g := range groups {
		for _, f := range list(g, "flavors") {
			name, _ := field(f, "name").(string)
			for _, r := range list(f, "resources") {
				if resourceName, _ := field(r, "name").(string); !slices.Contains(o.Resources, resourceName) {
					continue
				}
				n, ok := quantity(field(r, "nominalQuota"))
				if was, known := assigned[name]; known {
					n, ok = was, was >= 0 && was <= mostGrant
					delete(assigned, name) // of several kinds of GPU in one flavor one is Muster's
				}
				if !ok {
					q.problem("clusterqueue/"+cq.GetName(), "the nominal quota of flavor "+Clip(name)+" is no number of GPUs")
					continue
				}
				by[firstOf(models[name], modelName(name))] += n
			}
		}
	}
	grants := make([]Grant, 0, len(by))
	for model, gpus := range by {
		grants = append(grants, Grant{model, gpus})
	}
	slices.SortFunc(grants, func(a, b Grant) int { return strings.Compare(a.Model, b.Model) })
	return grants
}

func list(of any, name string) []any {
	l, _ := field(of, name).([]any)
	return l
}

func field(of any, name string) any {
	m, _ := of.(map[string]any)
	return m[name]
}

// quantity reads a number, or a text as Kubernetes writes quantities.
func quantity(v any) (int, bool) {
	switch v := v.(type) {
	case int64:
		return int(v), v >= 0 && v <= mostGrant
	case float64:
		return int(v), v >= 0 && v <= mostGrant
	case string:
		q, err := Quantity(v)
		if err != nil {
			return 0, false
		}
		n := q.Value()
		return int(n), n >= 0 && n <= mostGrant
	}
	return 0, false
}
