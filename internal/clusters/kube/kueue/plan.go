package kueue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

type fieldsEntry = metav1.ManagedFieldsEntry

// Names of what Muster makes besides the queues that people have made.
const (
	FlexQueue = "flex"        // the ClusterQueue of flex
	Root      = "muster-flex" // the cohort above all trees, from whose rest flex borrows
)

// Objects are what the cluster has.
type Objects struct{ Queues, Cohorts, Flavors []*unstructured.Unstructured }

// Apply is an object to be written by server-side apply, by force: that nothing is
// overwritten that another writer has changed is ensured by its resource version.
type Apply struct {
	Resource, Name string
	Object         map[string]any
}

// Plan is what to write, and what to tell.
type Plan struct {
	Apply []Apply // what takes quota away first
	Said  []translate.Problem
	// ByQuota is what is said of one quota's ClusterQueue: that another writer has changed it.
	ByQuota map[string]string
}

// PlanOf compares Kueue's objects with what they should be. Written and shown
// again, nothing is left to write.
func PlanOf(s *fleet.State, o *translate.Options, is Objects) Plan {
	k := translate.Kueue{ClusterQueues: is.Queues, Flavors: is.Flavors}
	var flavors []Flavor
	for name, model := range k.Models(o) {
		flavors = append(flavors, Flavor{name, model})
	}
	slices.SortFunc(flavors, func(a, b Flavor) int { return strings.Compare(a.Name, b.Name) })
	p := planning{Plan: Plan{ByQuota: map[string]string{}}, options: o, want: WantOf(s, o.Cluster, flavors), over: map[string]int{}}
	p.Said = append(p.Said, p.want.Said...)
	known := map[string]bool{}
	for _, q := range sorted(is.Queues) {
		path := translate.PathOf(q)
		known[path] = true
		if q.GetName() != FlexQueue && s.Quota(path) != nil {
			p.queue(q, path)
		}
	}
	for _, q := range s.Quotas {
		if granted(p.want.Queues[q.Path]) && !known[q.Path] {
			p.say("quota/"+q.Path, "it has no ClusterQueue: Kueue admits nothing for it")
		}
	}
	p.flex(is)
	slices.SortStableFunc(p.todo, func(a, b change) int { return a.more - b.more })
	for _, c := range p.todo {
		p.Apply = append(p.Apply, c.Apply)
	}
	return p.Plan
}

func granted(figures map[string]Figures) bool {
	for _, f := range figures {
		if f.Assigned > 0 {
			return true
		}
	}
	return false
}

// planning is a plan on its way.
type planning struct {
	Plan
	options *translate.Options
	want    Want
	todo    []change
	over    map[string]int // GPUs, by flavor, that others have written above what is backed
}

type change struct {
	Apply
	more int // 1 where some figure grows, else 0
}

func (p *planning) say(object, format string, args ...any) {
	p.Said = append(p.Said, translate.Problem{Object: object, Text: fmt.Sprintf(format, args...)})
}

// queue plans one ClusterQueue of a quota.
func (p *planning) queue(q *unstructured.Unstructured, path string) {
	was, written := writtenTo(q)
	is := gpuAmounts(q, was, p.options)
	if len(is) == 0 {
		return
	}
	if !written && !p.adopted(path, is) {
		return
	}
	cohort, _, _ := unstructured.NestedString(q.Object, "spec", "cohortName")
	should := map[string]amount{}
	assigned := map[string]int{}
	for flavor := range is {
		f := p.want.Queues[path][flavor]
		should[flavor], assigned[flavor] = amount{is[flavor].On, f.Nominal, none, none}, f.Assigned
		if !p.want.Served[flavor] { // its nodes may come yet
			assigned[flavor] = assignedIn(q, flavor, is[flavor].Nominal)
		}
		if cohort != "" { // Kueue takes limits only there
			should[flavor] = amount{is[flavor].On, f.Nominal, f.Borrow, f.Lend}
		}
	}
	p.policy(q, cohort)
	for _, flavor := range keys(p.want.Queues[path]) {
		if f := p.want.Queues[path][flavor]; f.Assigned > 0 && !has(is, flavor) {
			p.say("clusterqueue/"+q.GetName(), "it does not list flavor %s, of which its quota has %d GPUs", flavor, f.Assigned)
		}
	}
	if written && p.changed(q, path, is, was, should) {
		return
	}
	if notes := annotations(should, assigned); !equal(is, should) || !written || !noted(q, notes) {
		p.apply("clusterqueues", q, "ClusterQueue", map[string]any{"resourceGroups": filled(groups(q), should, p.options)}, notes, grows(is, should))
	}
}

// adopted says whether what a queue grants is known as a grant: before that nothing
// is written over it.
func (p *planning) adopted(path string, is map[string]amount) bool {
	for flavor, a := range is {
		if a.Nominal > 0 && p.want.Served[flavor] && !has(p.want.Queues[path], flavor) {
			return false
		}
	}
	return true
}

// assignedIn is what people granted of a flavor by the queue's own account.
func assignedIn(q *unstructured.Unstructured, flavor string, nominal int) int {
	assigned := map[string]int{}
	_ = json.Unmarshal([]byte(q.GetAnnotations()[translate.AnnotationAssigned]), &assigned)
	if n, said := assigned[flavor]; said {
		return n
	}
	return max(0, nominal)
}

// changed says whether another writer has changed what Muster wrote, and to what
// Muster would not have written.
func (p *planning) changed(q *unstructured.Unstructured, path string, is, was, should map[string]amount) bool {
	for _, flavor := range keys(was) {
		now, there := is[flavor]
		if there && (now == was[flavor] || now == should[flavor]) {
			continue
		}
		who := "somebody"
		if list := holders(q); len(list) > 0 {
			who = list[0]
		}
		text := fmt.Sprintf("%s has set flavor %s of ClusterQueue %s to %s where Muster had written %s; Muster leaves it so, and would write %s now. `kubectl annotate clusterqueue %s %s-` hands it back to Muster",
			who, flavor, q.GetName(), now, was[flavor], should[flavor], q.GetName(), Written)
		p.say("clusterqueue/"+q.GetName(), "%s", text)
		p.ByQuota[path] = text
		for flavor, a := range is {
			p.over[flavor] += max(0, a.Nominal-should[flavor].Nominal)
		}
		return true
	}
	return false
}

// policy says where a queue's own policy keeps Kueue from what its quota promises.
func (p *planning) policy(q *unstructured.Unstructured, cohort string) {
	reclaim, _, _ := unstructured.NestedString(q.Object, "spec", "preemption", "reclaimWithinCohort")
	switch {
	case cohort == "":
		p.say("clusterqueue/"+q.GetName(), "it is in no cohort: flex cannot use what it leaves unused")
	case reclaim != "Any":
		p.say("clusterqueue/"+q.GetName(), "its preemption.reclaimWithinCohort is not Any: its quota's work waits for flex work on its GPUs instead of evicting it")
	}
}

// String is the amount as people read it.
func (a amount) String() string {
	text := strconv.Itoa(a.Nominal) + " GPUs"
	if a.Borrow != none {
		text += fmt.Sprintf(" (borrowing %d)", a.Borrow)
	}
	return text
}

func (p *planning) apply(resource string, is *unstructured.Unstructured, kind string, spec map[string]any, notes map[string]any, more bool) {
	meta := map[string]any{"name": is.GetName(), "annotations": notes}
	if v := is.GetResourceVersion(); v != "" {
		meta["resourceVersion"] = v
	}
	c := change{Apply: Apply{resource, is.GetName(), map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": meta, "spec": spec}}}
	if more {
		c.more = 1
	}
	p.todo = append(p.todo, c)
}

func annotations(should map[string]amount, assigned map[string]int) map[string]any {
	return map[string]any{Written: compact(should), translate.AnnotationAssigned: compact(assigned)}
}

func compact(of any) string {
	data, _ := json.Marshal(of) // maps of numbers: keys in order, no errors
	return string(data)
}

func noted(of *unstructured.Unstructured, notes map[string]any) bool {
	for key, text := range notes {
		if of.GetAnnotations()[key] != text {
			return false
		}
	}
	return true
}

// filled is a copy of resource groups with the GPUs' figures in their places.
func filled(list []any, should map[string]amount, o *translate.Options) []any {
	out, _ := deep(list).([]any)
	for _, g := range out {
		for _, f := range maps(g, "flavors") {
			name, _ := f["name"].(string)
			if r := gpuOf(f, should[name].On, o); r != nil && has(should, name) {
				should[name].into(r)
			}
		}
	}
	return out
}

func (a amount) into(r map[string]any) {
	r["nominalQuota"] = strconv.Itoa(a.Nominal)
	for key, n := range map[string]int{"borrowingLimit": a.Borrow, "lendingLimit": a.Lend} {
		delete(r, key)
		if n != none {
			r[key] = strconv.Itoa(n)
		}
	}
}

func deep(of any) any {
	switch of := of.(type) {
	case map[string]any:
		out := make(map[string]any, len(of))
		for k, v := range of {
			out[k] = deep(v)
		}
		return out
	case []any:
		out := make([]any, len(of))
		for i, v := range of {
			out[i] = deep(v)
		}
		return out
	}
	return of
}

func grows(is, should map[string]amount) bool {
	for flavor, a := range should {
		if a.Nominal > is[flavor].Nominal {
			return true
		}
	}
	return false
}

func equal(a, b map[string]amount) bool { return compact(a) == compact(b) }

func has[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }

func keys[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
