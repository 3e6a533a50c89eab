package server

import "testing"

// FuzzClusters reads any bytes as a file of clusters: it is refused, or each entry has a name, and
// no two have the same.
func FuzzClusters(f *testing.F) {
	f.Add([]byte("clusters:\n  - {name: lion, kubeconfig: lion.yaml, mode: observe, quotas: cluster, fenceAfter: 10m, prometheus: \"https://prometheus.lion\"}\n"))
	f.Add([]byte("clusters: [{name: lion, mode: manage}, {name: lion, mode: manage}]\n"))
	f.Add([]byte("clusters: &a [*a]\n"))
	f.Add([]byte("clusters: {name: ../../etc}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := readClusters("clusters.yaml", data)
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, one := range list {
			if one.Name == "" || names[one.Name] || !clusterName.MatchString(one.Name) {
				t.Errorf("%q is taken from %q", one.Name, data)
			}
			names[one.Name] = true
		}
	})
}
