package api_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A rollout is shown with when it should end, unless the question asks for no search.
func TestARolloutIsShownWithoutItsEnd(t *testing.T) {
	h := furnished(t)
	_, err := h.Maintenance.AddUpdate(t.Context(), &musterv1.AddUpdateRequest{Update: &musterv1.NodeUpdate{Name: "driver", Component: "gpu-driver", Version: "2", Impact: "restart", Lasts: durationpb.New(time.Hour)}})
	must(t, err)
	_, err = h.Maintenance.StartRollout(t.Context(), &musterv1.StartRolloutRequest{Write: &musterv1.Write{Reason: "x"}, Name: "r1", Scope: "tiger/h200", Updates: []string{"driver"}})
	must(t, err)
	for search, told := range map[*durationpb.Duration]bool{nil: true, durationpb.New(time.Second): true, durationpb.New(0): false} {
		res, err := h.Maintenance.GetMaintenance(t.Context(), &musterv1.GetMaintenanceRequest{Rollout: "r1", Search: search})
		must(t, err)
		r := res.GetRollouts()[0]
		equal(t, "nodes", len(r.GetNodes()) > 0, true)
		equal(t, "its end", r.GetEnd().GetP50() != nil || r.GetEnd().GetUnknown() != "", told)
	}
}
