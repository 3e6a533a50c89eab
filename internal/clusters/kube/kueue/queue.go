package kueue

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// Manager is who the API server says has written what Muster writes of quotas.
const Manager = "muster-quota"

// Written is the annotation that keeps what Muster has written to a queue, so that
// it can tell what another writer has changed since. Removing it hands the queue back to
// Muster.
const Written = "muster.dev/backed"

// Kueue's names.
const (
	Group      = "kueue.x-k8s.io"
	version    = "v1beta2"
	apiVersion = Group + "/" + version
)

// amount is what a flavor has of GPUs: of one resource, with Borrow and Lend none
// where nothing bounds them.
type amount struct {
	On      string `json:"on"` // the resource
	Nominal int    `json:"nominal"`
	Borrow  int    `json:"borrow"`
	Lend    int    `json:"lend"`
}

const none = -1

// groups reads the resource groups of a ClusterQueue or a Cohort.
func groups(of *unstructured.Unstructured) []any {
	list, _, _ := unstructured.NestedSlice(of.Object, "spec", "resourceGroups")
	return list
}

// gpuAmounts reads what a queue has of GPUs, by flavor. A flavor that lists several
// kinds of GPU has figures in one of them: where Muster has written them, else the
// one that has most.
func gpuAmounts(of *unstructured.Unstructured, was map[string]amount, o *translate.Options) map[string]amount {
	out := map[string]amount{}
	for _, g := range groups(of) {
		for _, f := range maps(g, "flavors") {
			name, _ := f["name"].(string)
			if r := gpuOf(f, was[name].On, o); r != nil {
				on, _ := r["name"].(string)
				out[name] = amount{on, number(r["nominalQuota"]), number(r["borrowingLimit"]), number(r["lendingLimit"])}
			}
		}
	}
	return out
}

// gpuOf is the resource of a flavor that counts its GPUs; nil: none.
func gpuOf(flavor map[string]any, was string, o *translate.Options) (best map[string]any) {
	for _, r := range maps(flavor, "resources") {
		name, _ := r["name"].(string)
		switch {
		case name == was && was != "":
			return r
		case slices.Contains(o.Resources, name) && (best == nil || number(r["nominalQuota"]) > number(best["nominalQuota"])):
			best = r
		}
	}
	return best
}

// number reads a quantity; none where there is none, or where it is not an integer in a believable range.
func number(of any) int {
	var text string
	switch v := of.(type) {
	case int64:
		return int(v)
	case string:
		text = v
	default:
		return none
	}
	q, err := translate.Quantity(text)
	if err != nil || q.Value() < 0 || q.Value() > 1<<40 {
		return none
	}
	return int(q.Value())
}

func maps(of any, name string) (out []map[string]any) {
	m, _ := of.(map[string]any)
	list, _ := m[name].([]any)
	for _, x := range list {
		if x, ok := x.(map[string]any); ok {
			out = append(out, x)
		}
	}
	return out
}

// writtenTo reads what Muster has written to a queue; ok is false where it has not
// written, or was told to begin anew.
func writtenTo(of *unstructured.Unstructured) (was map[string]amount, ok bool) {
	text := of.GetAnnotations()[Written]
	return was, text != "" && json.Unmarshal([]byte(text), &was) == nil
}

// holders names who else the API server says has written a queue's quotas, the last first.
func holders(of *unstructured.Unstructured) []string {
	entries := slices.Clone(of.GetManagedFields())
	slices.SortStableFunc(entries, func(a, b fieldsEntry) int {
		if a.Time == nil || b.Time == nil {
			return 0
		}
		return cmp.Compare(b.Time.Unix(), a.Time.Unix())
	})
	var names []string
	for _, e := range entries {
		if e.Manager != Manager && e.FieldsV1 != nil && strings.Contains(e.FieldsV1.GetRawString(), `"f:resourceGroups"`) && !slices.Contains(names, e.Manager) {
			names = append(names, e.Manager)
		}
	}
	return names
}

func sorted(list []*unstructured.Unstructured) []*unstructured.Unstructured {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return list
}
