package translate

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Who may make a LocalQueue in a namespace of their own points it to any ClusterQueue. Kueue lets in the namespaces
// that the ClusterQueue selects, and so does the list of its quota.
func TestALocalQueueAloneLetsNobodyIn(t *testing.T) {
	shown := map[string]map[string]string{"oak": {"team": "oak", "kubernetes.io/metadata.name": "oak"}, "elm": {"team": "elm", "kubernetes.io/metadata.name": "elm"}}
	for what, c := range map[string]struct {
		selector   string
		namespaces map[string]map[string]string
		in         []string
		unsure     bool
	}{
		"no selector":                          {`{}`, shown, nil, false},
		"all":                                  {`{namespaceSelector: {}}`, shown, []string{"elm", "oak"}, false},
		"all, of namespaces not shown":         {`{namespaceSelector: {}}`, nil, []string{"elm", "oak"}, false},
		"by a label":                           {`{namespaceSelector: {matchLabels: {team: oak}}}`, shown, []string{"oak"}, false},
		"by an expression":                     {`{namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [elm]}]}}`, shown, []string{"oak"}, false},
		"by a label that is not shown":         {`{namespaceSelector: {matchLabels: {team: oak}}}`, nil, nil, true},
		"by name, of namespaces not shown":     {`{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: oak}}}`, nil, []string{"oak"}, false},
		"by what is no selector":               {`{namespaceSelector: {matchExpressions: [{key: team, operator: Maybe}]}}`, shown, nil, false},
		"by what is nothing of a selector":     {`{namespaceSelector: all}`, shown, nil, false},
		"of a namespace that is not yet shown": {`{namespaceSelector: {matchLabels: {team: oak}}}`, map[string]map[string]string{"elm": {"team": "elm"}}, nil, true},
	} {
		o := Defaults("tiger")
		k := Kueue{
			ClusterQueues: []*unstructured.Unstructured{object(t, "metadata: {name: q}\nspec: "+c.selector+"\n")},
			LocalQueues:   []*unstructured.Unstructured{object(t, "metadata: {name: main, namespace: oak}\nspec: {clusterQueue: q}\n"), object(t, "metadata: {name: main, namespace: elm}\nspec: {clusterQueue: q}\n")},
			Namespaces:    c.namespaces,
		}
		quotas, _ := k.Quotas(&o)
		if q := quotas[0]; !slices.Equal(q.Namespaces, c.in) || q.Unsure != c.unsure || len(q.Problems) > 0 != c.unsure {
			t.Errorf("%s: %v may use it, and whether others may is unsure: %v (%v); want %v and %v", what, q.Namespaces, q.Unsure, q.Problems, c.in, c.unsure)
		}
	}
}
