package kueue

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// flex plans the queue of what no quota is promised, and the cohorts through which it
// borrows what quotas leave unused. A tree's cohort lends to it and borrows nothing:
// what a quota is not using never goes to another tree.
func (p *planning) flex(is Objects) {
	var queues []*unstructured.Unstructured
	trees := map[string][]*unstructured.Unstructured{}
	for _, q := range sorted(is.Queues) {
		if was, _ := writtenTo(q); q.GetName() == FlexQueue || len(gpuAmounts(q, was, p.options)) == 0 {
			continue
		}
		queues = append(queues, q)
		if cohort, _, _ := unstructured.NestedString(q.Object, "spec", "cohortName"); cohort != "" {
			trees[cohort] = append(trees[cohort], q)
		}
	}
	if len(queues) == 0 {
		return
	}
	p.own("clusterqueues", "ClusterQueue", named(is.Queues, FlexQueue), map[string]any{
		"cohortName": Root, "namespaceSelector": map[string]any{}, "resourceGroups": p.flexGroups(queues),
	})
	for _, name := range keys(trees) {
		p.own("cohorts", "Cohort", named(is.Cohorts, name), map[string]any{"parentName": Root, "resourceGroups": bare(trees[name])})
	}
}

// own plans an object that Muster makes itself. One of its name that another writer
// made, or has changed, is left as it is.
func (p *planning) own(resource, kind string, is *unstructured.Unstructured, spec map[string]any) {
	should := normal(spec["resourceGroups"])
	now, was := normal(groups(is)), is.GetAnnotations()[Written]
	object := strings.ToLower(kind) + "/" + is.GetName()
	switch {
	case is.GetResourceVersion() != "" && was == "":
		p.say(object, "it is not Muster's: what quotas leave unused is not lent to flex by it, unless its owner arranges that")
		return
	case is.GetResourceVersion() != "" && now != was && now != should:
		p.say(object, "another writer has changed it, and Muster leaves it so. Delete it, and Muster makes it anew")
		return
	case now == should && was == should:
		return
	}
	p.apply(resource, is, kind, spec, map[string]any{Written: should, translate.AnnotationFlex: "true"}, false)
}

func named(list []*unstructured.Unstructured, name string) *unstructured.Unstructured {
	for _, x := range list {
		if x.GetName() == name {
			return x
		}
	}
	x := &unstructured.Unstructured{Object: map[string]any{}}
	x.SetName(name)
	return x
}

// flexGroups gives flex the GPUs that no quota is promised. Of anything else it has as
// much as all quotas together: GPUs alone bound it.
func (p *planning) flexGroups(queues []*unstructured.Unstructured) []any {
	return shaped(queues, func(flavor, name string, total *resource.Quantity) map[string]any {
		if !slices.Contains(p.options.Resources, name) {
			return map[string]any{"name": name, "nominalQuota": total.String(), "lendingLimit": "0"}
		}
		f := p.want.Flex[flavor]
		return map[string]any{
			"name": name, "nominalQuota": strconv.Itoa(max(0, f.Nominal-p.over[flavor])),
			"borrowingLimit": strconv.Itoa(f.Borrow), "lendingLimit": "0",
		}
	})
}

// bare are groups of nothing, of which nothing may be borrowed from outside.
func bare(queues []*unstructured.Unstructured) []any {
	return shaped(queues, func(_, name string, _ *resource.Quantity) map[string]any {
		return map[string]any{"name": name, "nominalQuota": "0", "borrowingLimit": "0"}
	})
}

// shaped makes resource groups that cover what the queues' groups cover, each
// resource and each flavor once: where two queues group them in different ways the
// first counts. What is in them is told from all that the queues have of it.
func shaped(queues []*unstructured.Unstructured, fill filler) []any {
	sh := shape{taken: map[string]int{}, totals: totalsOf(queues), fill: fill}
	for _, q := range queues {
		for _, g := range groups(q) {
			sh.group(g)
		}
	}
	return slices.DeleteFunc(sh.out, func(g any) bool { return len(maps(g, "flavors")) == 0 })
}

// filler says what a resource of a flavor has, told how much of it all queues have.
type filler func(flavor, name string, total *resource.Quantity) map[string]any

// shape is resource groups on their way.
type shape struct {
	out    []any
	taken  map[string]int // where each resource and each flavor is
	totals map[string]*resource.Quantity
	fill   filler
}

// group takes a queue's group in, where nothing else covers its resources.
func (sh *shape) group(of any) {
	g, _ := of.(map[string]any)
	covered, _, _ := unstructured.NestedStringSlice(g, "coveredResources")
	at, fits := place(sh.out, covered, sh.taken)
	if !fits {
		return
	}
	if at == len(sh.out) {
		sh.out = append(sh.out, map[string]any{"coveredResources": texts(covered), "flavors": []any{}})
		for _, name := range covered {
			sh.taken["resource "+name] = at
		}
	}
	for _, f := range maps(g, "flavors") {
		name, _ := f["name"].(string)
		if !has(sh.taken, "flavor "+name) {
			sh.flavor(at, name, covered)
		}
	}
}

// flavor adds a flavor with all that its group covers.
func (sh *shape) flavor(at int, name string, covered []string) {
	sh.taken["flavor "+name] = at
	list := make([]any, len(covered))
	for i, r := range covered {
		list[i] = sh.fill(name, r, sh.totals[name+"/"+r])
	}
	into := sh.out[at].(map[string]any)
	into["flavors"] = append(into["flavors"].([]any), map[string]any{"name": name, "resources": list})
}

// place is the group that covers exactly these resources, or a new one if nothing covers any of them.
func place(out []any, covered []string, taken map[string]int) (at int, fits bool) {
	at = len(out)
	for i, name := range covered {
		was, known := taken["resource "+name]
		if i == 0 && known {
			at = was
		}
		if known != (at < len(out)) || known && was != at {
			return 0, false
		}
	}
	if at < len(out) {
		list, _ := out[at].(map[string]any)["coveredResources"].([]any)
		return at, len(list) == len(covered)
	}
	return at, len(covered) > 0
}

func totalsOf(queues []*unstructured.Unstructured) map[string]*resource.Quantity {
	totals := map[string]*resource.Quantity{}
	for _, q := range queues {
		for _, g := range groups(q) {
			for _, f := range maps(g, "flavors") {
				for _, r := range maps(f, "resources") {
					flavor, _ := f["name"].(string)
					name, _ := r["name"].(string)
					if totals[flavor+"/"+name] == nil {
						totals[flavor+"/"+name] = &resource.Quantity{}
					}
					totals[flavor+"/"+name].Add(quantityOf(r["nominalQuota"]))
				}
			}
		}
	}
	return totals
}

func quantityOf(of any) resource.Quantity {
	switch v := of.(type) {
	case int64:
		return *resource.NewQuantity(v, resource.DecimalSI)
	case string:
		if q, err := translate.Quantity(v); err == nil {
			return q
		}
	}
	return resource.Quantity{}
}

// normal is resource groups as one text, the same for the same figures however they are written.
func normal(of any) string {
	list, _ := of.([]any)
	var b strings.Builder
	for _, g := range list {
		m, _ := g.(map[string]any)
		covered, _ := m["coveredResources"].([]any)
		b.WriteString(compact(covered))
		for _, f := range maps(g, "flavors") {
			b.WriteString(" " + compact(f["name"]) + ":")
			for _, r := range maps(f, "resources") {
				for i, key := range []string{"nominalQuota", "borrowingLimit", "lendingLimit"} {
					text := "-"
					if has(r, key) {
						q := quantityOf(r[key])
						text = q.String()
					}
					b.WriteString([]string{" ", "/", "/"}[i] + text)
				}
			}
		}
		b.WriteString(";")
	}
	return b.String()
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
