package buildout

import (
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A cluster in production that misses a condition is no cluster on its way, and it is not hidden either.
func TestTheBoardsLeadHidesNoClusterThatWaits(t *testing.T) {
	waits := &musterv1.ClusterLife{Phase: "Provisioning", Waits: "BootstrapSucceeded", Late: true}
	whole := &musterv1.ClusterLife{Phase: "InProduction"}
	missing := &musterv1.ClusterLife{Phase: "InProduction", Waits: "Healthy", Person: true}
	gone := &musterv1.ClusterLife{Phase: "Retired"}
	for _, c := range []struct {
		of   []*musterv1.ClusterLife
		want string
	}{
		{nil, "No cluster is being built out."},
		{[]*musterv1.ClusterLife{whole, gone}, "No cluster is on its way: all are in production or retired."},
		{[]*musterv1.ClusterLife{waits, whole}, "1 cluster on the way; 1 late, 0 waiting for a person."},
		{[]*musterv1.ClusterLife{missing, whole}, "0 clusters on the way; 1 in production with a condition missing; 0 late, 1 waiting for a person."},
	} {
		if got := boardLead(c.of); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
