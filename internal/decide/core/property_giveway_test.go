package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A borrower that would be guaranteed once others are gone is no borrower, but
// where it is less important work of the newcomer's own quota it gives way as that.
func TestLessImportantWorkOfTheQuotaGivesWayThoughItIsNoBorrower(t *testing.T) {
	st := smallFleet(t, 2, 1)
	st.quota(0, "q/one", 2, 2) // backed in a
	st.quota(0, "q/two", 1, 0) // backed in b
	st.do(0, job("n", "a", "q/one", fleet.High, elastic("w", 0, 8, 1, 2), pool("x", 0, 5, 1)))
	st.do(0, job("n", "b", "q/one", fleet.Low, pool("w", 0, 3, 1)))
	st.do(0, job("n", "c", "q/one", fleet.Critical, pool("w", 0, 6, 2)))
	st.is("n", "c", fleet.Starting)
}

// A workload whose lowest-rank pool is gone does not run on with its judges.
func TestNobodyRunsOnWithoutItsBase(t *testing.T) {
	st := smallFleet(t, 1, 3)
	st.quota(0, "q", 1, 0) // backed in a
	st.do(0, job("n", "w", fleet.Flex, fleet.Mid, elastic("p", 0, 8, 1, 2), pool("r", 1, 8, 2)))
	st.do(time.Minute, job("n", "x", "q", fleet.Mid, pool("w", 0, 8, 1)))
	st.do(61*time.Second, core.SetNodes{Names: []string{"t-g-b-001"}, State: fleet.Quarantined})
	st.holds()
}
