package api_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// waiting is a house in which research/oak (32 GPUs) is full of oak/first, and oak/second waits.
func waiting(t *testing.T) *house {
	t.Helper()
	h := furnished(t)
	h.submit(gang("first", "research/oak", 4))
	h.later(time.Minute)
	h.submit(gang("second", "research/oak", 2))
	return h
}

func TestWhySaysWhatHelpsAndDoingItWorks(t *testing.T) {
	h, ctx := waiting(t), t.Context()
	why, err := h.Workloads.Why(ctx, &musterv1.WhyRequest{Namespace: "oak", Name: "second", Help: true})
	must(t, err)
	equal(t, "what helps must have been tried in time", why.GetMissed(), false)
	first := why.GetChanges()[0]
	equal(t, "first remedy", first.GetText(), "target flex")
	equal(t, "its command", strings.Join(first.GetCommands(), "; "), "muster job retarget oak/second flex")
	equal(t, "when it starts", why.GetForecast().GetKnown(), false)
	equal(t, "the answer", why.GetAnswer(), "not known")
	_, err = h.Workloads.Retarget(ctx, &musterv1.RetargetRequest{Namespace: "oak", Name: "second", Target: "flex"})
	must(t, err)
	w, err := h.Workloads.GetWorkload(ctx, &musterv1.GetWorkloadRequest{Namespace: "oak", Name: "second"})
	must(t, err)
	equal(t, "state then", w.GetWorkload().GetState(), "running")
}

// A blocker is as old as itself, not as the waiting.
func TestABlockerSaysSinceWhenItHasBeenThere(t *testing.T) {
	h, ctx := waiting(t), t.Context()
	h.later(time.Hour)
	_, err := h.Fleet.SetNodes(ctx, &musterv1.SetNodesRequest{Names: []string{"tiger-h200-i1-001", "tiger-h200-i1-002", "tiger-h200-i2-001", "tiger-h200-i2-002"}, State: "quarantined", Write: &musterv1.Write{Reason: "a test"}})
	must(t, err)
	h.later(time.Hour)
	why, err := h.Workloads.Why(ctx, &musterv1.WhyRequest{Namespace: "oak", Name: "second", History: true})
	must(t, err)
	since := map[string]time.Duration{}
	for _, b := range why.GetBlockers() {
		since[b.GetCode()] = b.GetSince().AsTime().Sub(noon)
	}
	if full := since["TreeFull"] + since["QuotaFull"]; full != time.Minute {
		t.Errorf("full since noon + %v, want + 1m: when it was submitted (%v)", full, since)
	}
	var kinds []string
	for _, line := range why.GetHistory() {
		kinds = append(kinds, line.GetKind())
	}
	equal(t, "the story begins with", strings.Join(kinds[:2], " "), "workload.submitted reason")
}

// Two questions at once must not share the planner's notes; the race detector listens.
func TestManyMayAskWhyAtOnce(t *testing.T) {
	h, ctx := waiting(t), t.Context()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := h.Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{Reasons: true})
			must(t, err)
			_, err = h.Workloads.GetWorkload(ctx, &musterv1.GetWorkloadRequest{Namespace: "oak", Name: "second"})
			must(t, err)
		})
	}
	all.Wait()
}

func TestFitWhenAndUsable(t *testing.T) {
	h, ctx := waiting(t), t.Context()
	fit, err := h.Workloads.Fit(ctx, &musterv1.FitRequest{Spec: &musterv1.FitSpec{
		Namespace: "oak", Pools: []*musterv1.Pool{{Name: "w", Replicas: 2, Gpus: 8}},
	}})
	must(t, err)
	equal(t, "where it starts", fit.GetPlaces()[0].GetTarget(), "flex")
	when, err := h.Workloads.When(ctx, &musterv1.WhenRequest{Namespace: "oak", Name: "second"})
	must(t, err)
	equal(t, "why nobody knows", when.GetForecast().GetUnknown()[0].GetName(), "oak/first")
	use, err := h.Capacity.Usable(ctx, &musterv1.UsableRequest{Namespace: "oak"})
	must(t, err)
	equal(t, "free in the quota", use.GetQuotas()[0].GetFree(), 0)
	equal(t, "who waits there", use.GetQuotas()[0].GetWaiting(), 1)
	equal(t, "free on flex", use.GetFlex()[0].GetFree() > 0, true)
}

// TestADryRunSaysWhyTheWorkWouldWait: of work that would start at once there is nothing to say.
func TestADryRunSaysWhyTheWorkWouldWait(t *testing.T) {
	h := waiting(t)
	for target, want := range map[string]string{"research/oak": "It would wait. ", "flex": ""} {
		res, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Write: &musterv1.Write{DryRun: true}, Spec: gang("third", target, 1)})
		must(t, err)
		notes := strings.Join(res.GetWritten().GetNotes(), "; ")
		if !strings.HasPrefix(notes, want) || want == "" && notes != "" || res.GetId() != 0 {
			t.Errorf("%s: %q, and number %d", target, notes, res.GetId())
		}
	}
}
