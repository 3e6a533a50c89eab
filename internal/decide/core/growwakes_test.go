package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A pool that may not grow for want of nodes grows as soon as work of another tree leaves them.
func TestGrowthGoesOnWhereAnotherTreesWorkLeaves(t *testing.T) {
	st := smallFleet(t, 3)
	st.quota(0, "oak", 1, 0)
	st.quota(0, "elm", 2, 0)
	st.do(0, job("ns", "u", "elm", fleet.Mid, pool("w", 0, 8, 2)))
	st.do(0, job("ns", "engines", "oak", fleet.Mid, elastic("w", 0, 8, 1, 2)))
	st.do(time.Minute, core.SetGrant{Quota: "elm", Partition: "t/g", GPUs: 8})
	st.do(2*time.Minute, core.SetGrant{Quota: "oak", Partition: "t/g", GPUs: 16})
	engines := st.s.Workload("ns", "engines")
	if engines.GPUs() != 8 {
		t.Fatalf("engines have %d GPUs beside work that nothing covers", engines.GPUs())
	}
	st.do(3*time.Minute, core.Cancel{Namespace: "ns", Name: "u"})
	st.leave(4*time.Minute, "ns", "u")
	if engines.GPUs() != 16 {
		t.Errorf("engines have %d GPUs", engines.GPUs())
	}
}
