package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// seen submits what a cluster showed: replicas of 8 GPUs that something makes there.
func (h *house) seen(name, target string, nodes int, more ...string) {
	h.t.Helper()
	_, err := h.engine.Do(h.t.Context(), core.Request{Actor: core.Reporter, Command: core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: "oak", Groups: append([]string{fleet.SeenOn("tiger")}, more...), Target: target, Priority: fleet.Mid, Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachIsland}},
	}}})
	must(h.t, err)
}

func (h *house) remedies(name string) map[string]*musterv1.Remedy {
	h.t.Helper()
	why, err := h.Workloads.Why(h.t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: name, Help: true})
	must(h.t, err)
	equal(h.t, "what helps must have been tried in time", why.GetMissed(), false)
	by := map[string]*musterv1.Remedy{}
	for _, r := range why.GetChanges() {
		by[r.GetKind()] = r
	}
	return by
}

// What a cluster's own objects make is changed and ended there: Muster would submit
// work without pods, or see again at once what it has cancelled.
func TestWhatHelpsWorkOfAClusterIsDoneThere(t *testing.T) {
	h := furnished(t)
	h.seen("first", "research/oak", 3, fleet.MadeBy("Job", "first"))
	h.later(time.Minute)
	h.seen("second", "research/oak", 3, fleet.MadeBy("Job", "second"))
	by := h.remedies("second")
	equal(t, "fewer replicas", by["smaller"].GetText()+": "+strings.Join(by["smaller"].GetCommands(), "; "),
		`3 → 1 replica of main: kubectl patch job/second -n oak --type merge -p '{"spec":{"parallelism":1}}'`)
	equal(t, "its end", by["ends"].GetText()+": "+strings.Join(by["ends"].GetCommands(), "; "),
		"oak/first ends (no end is declared): kubectl delete job/first -n oak")
	for kind, r := range by {
		if text := strings.Join(r.GetCommands(), "; "); strings.Contains(text, "muster job cancel") || strings.Contains(text, "muster submit") {
			t.Errorf("%s is done by %s", kind, text)
		}
	}
}

// Of pods without an owner Muster's own command is as good as any.
func TestPodsThatNobodyMakesAreCancelled(t *testing.T) {
	h := furnished(t)
	h.seen("first", "research/oak", 3)
	h.later(time.Minute)
	h.seen("second", "research/oak", 3)
	by := h.remedies("second")
	equal(t, "its end", strings.Join(by["ends"].GetCommands(), "; "), "muster job cancel oak/first")
	equal(t, "commands that make it smaller", fmt.Sprint(by["smaller"].GetCommands()), "[]")
}

// Where Muster only looks on, nothing that is done to a workload helps: only to decide.
func TestWhereNothingIsDecidedOnlyDecidingHelps(t *testing.T) {
	h := furnished(t)
	_, err := h.engine.Do(t.Context(), core.Request{Actor: core.System, Command: core.SetMode{Cluster: "tiger", Mode: fleet.Observe}})
	must(t, err)
	h.seen("first", "research/oak", 3, fleet.MadeBy("Job", "first"))
	by := h.remedies("first")
	equal(t, "what helps", len(by), 1)
	equal(t, "and how", by["mode"].GetText(), "cluster tiger is set to mode enforce, and its pods wait for Muster (a target, in an enrolled namespace)")
	_, err = h.Workloads.Cancel(t.Context(), &musterv1.CancelRequest{Namespace: "oak", Name: "first"})
	if err == nil || !strings.Contains(err.Error(), "kubectl delete job/first -n oak ends it") {
		t.Errorf("cancelling what is only seen: %v", err)
	}
}
