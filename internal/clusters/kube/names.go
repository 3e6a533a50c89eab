package kube

import (
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Distinct says whether a cluster's nodes and namespaces are called with its name
// behind theirs (node-001@tiger). A cluster keeps the way in which its nodes are
// called, since names are forever; a new one is called distinctly where the server
// is one for several, or has another cluster already.
func Distinct(s *fleet.State, cluster string, several bool) bool {
	for _, p := range s.Partitions {
		if p.Cluster == cluster && len(p.Nodes) > 0 {
			return translate.Of(cluster, p.Nodes[0].Name)
		}
	}
	for _, c := range s.Clusters {
		several = several || c.Name != cluster
	}
	return several
}
