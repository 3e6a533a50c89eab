package api_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// cuts are changes by people after which a gang of four nodes waits in research/oak, which had 32 GPUs.
var cuts = map[string]struct {
	change  func(h *house, w *musterv1.Write) error
	is      string // what why says of it
	was, to int32
}{
	"a grant is lowered": {func(h *house, w *musterv1.Write) error {
		_, err := h.Quotas.SetGrant(h.t.Context(), &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 16, Write: w})
		return err
	}, "grant in tiger/h200 from 32 to 16 GPUs", 32, 16},
	"GPUs move to another quota": {func(h *house, w *musterv1.Write) error {
		_, err := h.Quotas.Transfer(h.t.Context(), &musterv1.TransferRequest{From: "research/oak", To: "elm", Partition: "tiger/h200", Gpus: 8, Write: w})
		return err
	}, "8 GPUs of tiger/h200 transferred to elm", 32, 24},
	"a buffer grows": {func(h *house, w *musterv1.Write) error {
		_, err := h.Fleet.SetBuffer(h.t.Context(), &musterv1.SetBufferRequest{Scope: "tiger/h200", Buffer: &musterv1.Buffer{Kind: "fixed", Share: 0.9}, Write: w})
		return err
	}, "buffer policy of tiger/h200 from that of the wider scope to fixed 90 %; what backs it in tiger/h200 from 32 to 8 GPUs", 32, 8},
	"part is held": {func(h *house, w *musterv1.Write) error {
		_, err := h.Quotas.PlaceHold(h.t.Context(), &musterv1.PlaceHoldRequest{
			Quota: "research/oak", Partition: "tiger/h200", Gpus: 8, User: "ada", Until: timestamppb.New(noon.Add(48 * time.Hour)), Write: w,
		})
		return err
	}, "hold 1 for user:ada: 8 GPUs of tiger/h200 until 2026-", 0, 8},
}

// lent is a house with a second quota.
func lent(t *testing.T) *house {
	h := furnished(t)
	_, err := h.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: "elm"})
	must(t, err)
	return h
}

func TestWhyNamesTheChangeByHandThatTookWhatWorkLacks(t *testing.T) {
	for name, cut := range cuts {
		t.Run(name, func(t *testing.T) {
			h := lent(t)
			h.later(time.Hour)
			must(t, cut.change(h, &musterv1.Write{Reason: "the hall runs hot"}))
			h.later(time.Hour)
			h.submit(gang("late", "research/oak", 4))
			c := changes(h, "late")
			equal(t, "changes that are named", len(c), 1)
			equal(t, "by", c[0].GetActor(), "operator:root")
			equal(t, "when", c[0].GetAt().AsTime(), noon.Add(time.Hour))
			equal(t, "the reason", c[0].GetReason(), "the hall runs hot")
			equal(t, "from", c[0].GetWas(), cut.was)
			equal(t, "to", c[0].GetGpus(), cut.to)
			if !strings.HasPrefix(c[0].GetText(), cut.is) {
				t.Errorf("it says %q, want %q", c[0].GetText(), cut.is)
			}
		})
	}
}

// changes are those that the reason of a workload names.
func changes(h *house, name string) []*musterv1.QuotaChange {
	h.t.Helper()
	why, err := h.Workloads.Why(h.t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: name})
	must(h.t, err)
	if len(why.GetBlockers()) == 0 {
		h.t.Fatalf("nothing blocks %s", name)
	}
	return why.GetBlockers()[0].GetChanges()
}

// What was given back took nothing, and what was lowered twice was lowered by two.
func TestWhyNamesOnlyChangesThatStillTakeSomething(t *testing.T) {
	h := lent(t)
	for i, gpus := range []int32{16, 32, 24, 28, 8} {
		h.later(time.Minute)
		_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: gpus, Write: &musterv1.Write{Reason: "because"}})
		must(t, err)
		if i == 1 {
			h.submit(gang("full", "research/oak", 4))
			h.submit(gang("next", "research/oak", 1))
			equal(t, "changes named once the grant is back", len(changes(h, "next")), 0)
		}
	}
	var steps []int32
	for _, c := range changes(h, "next") {
		steps = append(steps, c.GetWas(), c.GetGpus())
	}
	equal(t, "steps down, the newest first", len(steps), 4)
	equal(t, "the last from", steps[0], 28)
	equal(t, "the one before from", steps[2], 32)
}

// No change of a grant makes a gang too large for every island, so none is named. What took a whole grant is.
func TestWhyNamesOnlyChangesThatCausedIt(t *testing.T) {
	h := lent(t)
	h.submit(gang("huge", "research/oak", 200))
	for _, gpus := range []int32{16, 0} {
		h.later(time.Minute)
		_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: gpus, Write: &musterv1.Write{Reason: "because"}})
		must(t, err)
		if gpus > 0 {
			equal(t, "changes named of a gang that no island holds", len(changes(h, "huge")), 0)
		}
	}
	equal(t, "changes named of a grant that is gone", len(changes(h, "huge")), 2)
}

// What took a quota's backing is found where people look for what happened to the quota.
func TestEventsAboutAQuotaHoldWhatTookItsBacking(t *testing.T) {
	for name, want := range map[string]string{"a grant is lowered": "grant.set", "GPUs move to another quota": "grant.transferred", "a buffer grows": "buffer.set", "part is held": "hold.placed"} {
		t.Run(name, func(t *testing.T) {
			h := lent(t)
			seq := h.version()
			must(t, cuts[name].change(h, &musterv1.Write{Reason: "the hall runs hot"}))
			equal(t, "found", kindsAbout(h, "research/oak", seq)[want], 1)
			equal(t, "found about a quota that lost nothing by it", kindsAbout(h, "birch", seq)[want], 0)
		})
	}
}

// The end of a hold names no quota, and is an event about its quota even so.
func TestTheEndOfAHoldIsAboutItsQuota(t *testing.T) {
	h := lent(t)
	must(t, cuts["part is held"].change(h, &musterv1.Write{Reason: "the hall runs hot"}))
	equal(t, "ends before", kindsAbout(h, "research/oak", 0)["hold.ended"], 0)
	seq := h.version()
	_, err := h.Quotas.ReleaseHold(t.Context(), &musterv1.ReleaseHoldRequest{Id: 1})
	must(t, err)
	equal(t, "ends of all events", kindsAbout(h, "research/oak", 0)["hold.ended"], 1)
	equal(t, "ends of the events from then on", kindsAbout(h, "research/oak", seq)["hold.ended"], 1)
	equal(t, "ends about another quota", kindsAbout(h, "elm", seq)["hold.ended"], 0)
}

// kindsAbout counts the events about something after a record by their kinds; after 0 the last ones.
func kindsAbout(h *house, about string, after uint64) map[string]int {
	h.t.Helper()
	m := &musterv1.ListEventsRequest{About: about}
	if after > 0 {
		m.From = after + 1
	}
	answer, err := h.Events.ListEvents(h.t.Context(), m)
	must(h.t, err)
	kinds := map[string]int{}
	for _, r := range answer.GetRecords() {
		for _, e := range r.GetEvents() {
			kinds[e.GetKind()]++
		}
	}
	return kinds
}

// Work that goes because its protection was taken earlier says who took it, and why.
func TestAnEvictionNamesTheCutThatCameBefore(t *testing.T) {
	h := lent(t)
	h.submit(gang("cut", "research/oak", 4))
	h.later(time.Hour)
	must(t, cuts["a grant is lowered"].change(h, &musterv1.Write{Reason: "the hall runs hot"}))
	_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Quota: "elm", Partition: "tiger/h200", Gpus: 88})
	must(t, err)
	others := gang("others", "elm", 11)
	others.Pools[0].Reach = "any"
	h.submit(others)
	why, err := h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "cut", History: true})
	must(t, err)
	says := ""
	for _, line := range why.GetHistory() {
		if line.GetKind() == "replicas.evicted" {
			says = line.GetText()
		}
	}
	for _, want := range []string{"oak/others needed the room", "left so by operator:root at Sat 2026-11-21 13:00Z", "the grant of research/oak in tiger/h200 goes from 32 to 16 GPUs", "(the hall runs hot)"} {
		if !strings.Contains(says, want) {
			t.Errorf("the eviction says %q; want %q in it", says, want)
		}
	}
}
