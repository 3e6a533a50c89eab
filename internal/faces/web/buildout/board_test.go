package buildout

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
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

// A cluster that waits for cores of two meters stands in the order once.
func TestTheOrderOfTheLedgerNamesEachClusterOnce(t *testing.T) {
	got := waiting(&musterv1.CloudLedger{Claims: []*musterv1.LedgerClaim{
		{Cluster: "lynx", Meters: []*musterv1.MeterClaim{{Meter: "h200", Needs: 1200, Missing: 96}, {Meter: "cores", Needs: 1200}}},
		{Cluster: "puma", Meters: []*musterv1.MeterClaim{{Meter: "h200"}}},
	}})
	if len(got) != 1 || got[0].cluster != "lynx" || got[0].needs != "1,200 cores of h200 (96 are missing), 1,200 cores of cores" {
		t.Errorf("%+v", got)
	}
}

// Of an account that cannot be counted on it is said whether it was ever counted.
func TestAnAccountWithoutFreshCountsSaysWhy(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	m := ledgerView{v: &frame.Visit{Now: now}}
	if got := notCounted(m, &musterv1.CloudLedger{}); !strings.Contains(got, "No cloud has counted this account yet") {
		t.Error(got)
	}
	old := timestamppb.New(now.Add(-20 * time.Minute))
	if got := notCounted(m, &musterv1.CloudLedger{Read: old}); !strings.Contains(got, "11:40") || !strings.Contains(got, "more than 15 minutes old") {
		t.Error(got)
	}
}
