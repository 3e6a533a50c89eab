package core_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// A gang that no island sustains is refused with the largest that one does, and with what of that
// other quotas leave in one piece now.
func TestAGangThatIsTooLargeIsToldWhatIsInOnePieceNow(t *testing.T) {
	st := smallFleet(t, 4, 3, 3)
	st.do(0, core.CreateQuota{Path: "x"})
	ask := core.SetGrant{Quota: "x", Partition: "t/g", GPUs: 40, Gang: 40}
	refuse := func(at time.Duration) *core.Refusal {
		_, refusal := core.Step(st.s, core.Request{Command: ask, Actor: core.System, Reason: "test"}, moment(at))
		if refusal == nil || refusal.Code != core.GangTooLarge {
			t.Fatalf("refused with %v, want GangTooLarge", refusal)
		}
		return refusal
	}
	if got := refuse(time.Minute); !strings.Contains(got.Message, "the largest that would do is 32 GPUs, in island a") || strings.Contains(got.Message, "now") ||
		!maps.Equal(got.Figures, map[string]int{"gang": 40, "largest": 32}) {
		t.Error(got)
	}
	st.quota(2*time.Minute, "y", 4, 4)
	if got := refuse(3 * time.Minute); !maps.Equal(got.Figures, map[string]int{"gang": 40, "largest": 32, "now": 24}) ||
		!strings.Contains(got.Message, "the largest that would do is 32 GPUs, in island a under its policy fixed 0 %, of which at most 24 are in one piece now beside what backs other quotas") {
		t.Error(got)
	}
}

// A grant that is too large in all and in one piece is told what would do by both, and that is taken.
func TestAGrantThatIsTooLargeInBothWaysIsToldWhatWouldDo(t *testing.T) {
	st := smallFleet(t, 6, 4)
	st.quota(0, "y", 6, 0)
	st.do(time.Minute, core.CreateQuota{Path: "x"})
	ask := func(gpus int) *core.Refusal {
		_, refusal := core.Step(st.s, core.Request{Command: core.SetGrant{Quota: "x", Partition: "t/g", GPUs: gpus, Gang: gpus}, Actor: core.System, Reason: "test"}, moment(2*time.Minute))
		return refusal
	}
	if got := ask(80); got == nil || got.Code != core.Overpromise || !strings.HasSuffix(got.Message, ". By both, 32 GPUs in one piece would do now") {
		t.Error(got)
	}
	if got := ask(32); got != nil {
		t.Error(got)
	}
}

// Idle backing of others that can move elsewhere is not in the way of a gang.
func TestAGangIsToldWhatFitsOnceIdleBackingHasMoved(t *testing.T) {
	st := smallFleet(t, 4, 4)
	st.quota(0, "y", 4, 0)
	st.quota(time.Minute, "z", 1, 0) // in the other island
	st.do(2*time.Minute, core.SetGrant{Quota: "y", Partition: "t/g", GPUs: 24})
	st.do(3*time.Minute, core.CreateQuota{Path: "x"})
	ask := core.SetGrant{Quota: "x", Partition: "t/g", GPUs: 40, Gang: 40}
	_, refusal := core.Step(st.s, core.Request{Command: ask, Actor: core.System, Reason: "test"}, moment(4*time.Minute))
	if refusal == nil || !strings.HasSuffix(refusal.Message, "By both, 32 GPUs in one piece would do now") {
		t.Error(refusal)
	}
}
