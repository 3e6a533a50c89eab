package picture

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A cluster with many causes crowds no other one out of the picture, and what is left out is counted.
func TestStagesHaveEveryClusterAndItsSlowestCauses(t *testing.T) {
	mean := func(scope, cause string, d time.Duration) *musterv1.RepairTimes {
		return &musterv1.RepairTimes{Scope: scope, Cause: cause, Repaired: 1, Total: &musterv1.Spread{Mean: durationpb.New(d)}}
	}
	var list []*musterv1.RepairTimes
	for i, scope := range []string{"lynx", "tiger"} {
		list = append(list, mean(scope, "", time.Duration(i+1)*time.Hour))
		for k := range 20 {
			list = append(list, mean(scope, fmt.Sprintf("sev-%d", k), time.Duration(k)*time.Minute))
		}
	}
	rows, shown, more := Stages(list)
	if len(rows) != mostStages || len(shown) != mostStages || more != len(list)-mostStages {
		t.Fatalf("%d rows, %d shown, %d more of %d", len(rows), len(shown), more, len(list))
	}
	if shown[0].GetScope() != "tiger" || shown[0].GetCause() != "" || shown[1].GetCause() != "sev-19" {
		t.Errorf("the slowest cluster and its slowest cause do not come first: %v, %v", shown[0], shown[1])
	}
	if shown[8].GetScope() != "lynx" || shown[8].GetCause() != "" || shown[9].GetCause() != "sev-19" {
		t.Errorf("the other cluster has no room of its own: %v, %v", shown[8], shown[9])
	}
}
