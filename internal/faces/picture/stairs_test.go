package picture

import (
	"slices"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// A workload that waits in a quota comes first there, and not on flex.
func TestPaleIsWhatOthersWaitFor(t *testing.T) {
	for _, c := range []struct {
		quota, flex int32
		want        [2][]draw.Ink // the quota's staircase, and flex's
	}{
		{0, 0, [2][]draw.Ink{nil, nil}},
		{3, 0, [2][]draw.Ink{{draw.Quota}, nil}},
		{0, 1, [2][]draw.Ink{{draw.Flex}, {draw.Flex}}},
		{3, 1, [2][]draw.Ink{{draw.Flex, draw.Quota}, {draw.Flex}}},
	} {
		list := Staircases(&musterv1.UsableResponse{
			Quotas: []*musterv1.UsableQuota{{Quota: "oak", Partition: "tiger/h200", GpusPerNode: 8, Waiting: c.quota}},
			Flex:   []*musterv1.UsableFlex{{Partition: "tiger/h200", GpusPerNode: 8, Waiting: c.flex}},
		})
		for i, s := range list {
			if !slices.Equal(s.pale, c.want[i]) {
				t.Errorf("%d wait in the quota and %d on flex: %s is pale in %v, want %v", c.quota, c.flex, s.Target, s.pale, c.want[i])
			}
		}
	}
}
