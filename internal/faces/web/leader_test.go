package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A quota that everybody may target says so in the list, until its list names a user.
func TestOpenQuotasSayThatTheyAre(t *testing.T) {
	const open1 = `<span class="tag wait" title="A quota without an access list is open here: everybody may target it.">open</span>`
	h := open(t, nil).furnish()
	_, body := h.get("/teams")
	has(t, body, open1, "largest gang")
	for _, path := range []string{"/part/stairs", "/partition/tiger/h200"} {
		_, other := h.get(path)
		has(t, other, open1)
	}
	h.do(core.SetAccess{Path: "research/oak", Access: fleet.Access{Users: []string{"ada"}}})
	_, body = h.get("/teams")
	has(t, body, "Without grants of their own", open1) // its parent is open still
	h.do(core.SetAccess{Path: "research", Access: fleet.Access{Users: []string{"ada"}}})
	if _, body = h.get("/teams"); strings.Contains(body, open1) {
		t.Error("a quota that only ada may target is said to be open")
	}
}

// That no promise was broken says little while most are not judged: the first page says how many still run.
func TestNoBrokenPromiseIsNotAKeptOne(t *testing.T) {
	h := open(t, nil).furnish()
	h.clock.Add(int64(2 * time.Hour))
	h.do(core.Tick{})
	_, body := h.get("/part/broken?window=24h")
	has(t, body, "None.", "promises for whole partitions not judged yet: a promise is judged when its horizon is over.")
}

// Beside a figure of assigned stand its shares, each with a space before what it is of.
func TestSharesOfAssignedSayOfWhat(t *testing.T) {
	_, body := open(t, nil).furnish().get("/")
	has(t, body, `<span class="of"> of healthy</span>`, `<span class="of"> of sustainable</span>`)
}

// What maintenance takes is no failure: the page of a partition does not call it one.
func TestMaintenanceIsNotCalledAFailure(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.SetNodes{Names: []string{"tiger-h200-i1-001"}, State: fleet.Maintenance})
	_, body := h.get("/partition/tiger/h200")
	has(t, body, "GPUs are not healthy: their nodes failed, or are under maintenance.", "GPUs are left before less can be promised.")
	if strings.Contains(body, "Failures take") {
		t.Error("maintenance is called a failure")
	}
}

// The waterfall says which part of the buffer serves flex, and says nothing of what is busy
// where utilisation was not measured.
func TestTheWaterfallNamesTheBufferThatServesFlex(t *testing.T) {
	h := open(t, nil).furnish()
	_, body := h.get("/")
	has(t, body, "24 serve flex")
	if strings.Contains(body, ">busy<") {
		t.Error("GPUs are said to be busy that were never measured")
	}
	h.do(core.MeasureUsage{Of: []core.Measured{{Namespace: "oak", Name: "base", SM: 900, Tensor: fleet.Unmeasured, Network: fleet.Unmeasured}}})
	_, body = h.get("/")
	has(t, body, ">busy<")
}

// A grant that cannot be used in one piece is the first thing that the page says, however much
// of it is backed.
func TestALeaderSeesFirstWhatIsBroken(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 104, Gang: 48})
	_, body := h.get("/")
	if strings.Contains(body, "cannot be used in one piece") {
		t.Fatal("a gang that is whole is said to be broken")
	}
	h.clock.Add(int64(time.Hour))
	h.do(core.SetNodes{Names: []string{"tiger-h200-i1-001", "tiger-h200-i1-002", "tiger-h200-i1-003", "tiger-h200-i2-001", "tiger-h200-i2-002", "tiger-h200-i2-003"}, State: fleet.Quarantined, Signal: "XID 79"})
	_, body = h.get("/")
	has(t, body, "cannot be used in one piece", "its gang lacks ")
	if broken, waterfall := strings.Index(body, "What is broken"), strings.Index(body, "From installed to in use"); broken < 0 || broken > waterfall {
		t.Error("what is broken does not come first")
	}
	has(t, body, "1 grant not in one piece")
	_, body = h.get("/promise")
	has(t, body, "Broken now: 1 grant cannot be used in one piece.", "not in one piece: lacks ")
}

// A team whose gang is backed in number, and not in one piece, is told so where it is told how much is backed.
func TestATeamIsToldThatItsGangIsInPieces(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 64, Gang: 48})
	_, body := h.get("/team/research/oak")
	if strings.Contains(body, "in one island.") {
		t.Error("the gang is said to be in pieces, and is not")
	}
	h.clock.Add(int64(time.Hour))
	h.do(core.SetNodes{Names: []string{"tiger-h200-i1-001", "tiger-h200-i1-002", "tiger-h200-i1-003", "tiger-h200-i2-001", "tiger-h200-i2-002", "tiger-h200-i2-003"}, State: fleet.Quarantined, Signal: "XID 79"})
	_, body = h.get("/team/research/oak")
	has(t, body, "In tiger/h200 its gang of 48 lacks ", " in one island.")
}

// Who asks for a target that is not there, or may not be used, is not told that no quota may be used.
func TestAWrongTargetIsNotCalledNoQuotaAtAll(t *testing.T) {
	h := open(t, nil).furnish()
	_, body := h.get("/part/stairs?gpus=8&target=research/oka")
	has(t, body, "You may use no target of that name here.")
	if strings.Contains(body, "You may use no quota here") {
		t.Error("a wrong target is called no quota at all")
	}
	_, body = h.get("/workloads?target=research/oka")
	has(t, body, "did you mean &#34;research/oak&#34;?</p>")
}
