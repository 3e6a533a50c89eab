package kube

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// watched is an engine that has only watched a cluster of six nodes, with the pods of some work.
func watched(t *testing.T, pods []translate.Pod) *engine.Engine {
	t.Helper()
	now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	e, err := engine.Open(context.Background(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return now }, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	var nodes []translate.Node
	for i := range 6 {
		nodes = append(nodes, translate.Node{Name: fmt.Sprintf("n%d", i), GPU: "h200", GPUs: 8, Island: "a"})
	}
	quotas := []translate.Quota{{Path: "oak", Namespaces: []string{"oak"}, Grants: []translate.Grant{{GPUs: 32}}}}
	show(t, 0, e, "tiger", snapshotOf(objects{nodes: nodes, pods: pods, quotas: quotas}), now)
	return e
}

func podOn(namespace, work, name, node, target string) translate.Pod {
	return translate.Pod{
		Namespace: namespace, Name: name, UID: name, GPUs: 8, Node: node, Index: -1, Owner: translate.Owner{Kind: "Job", Name: work, UID: "job-" + work},
		Wishes: translate.Wishes{Target: target, Priority: fleet.Mid},
	}
}

// TestWhatWasSeenIsDividedIntoOursAndOthers asks of work of every kind whether it becomes
// Muster's when the cluster does.
func TestWhatWasSeenIsDividedIntoOursAndOthers(t *testing.T) {
	gated := podOn("oak", "waits", "waits-0", "", "oak")
	gated.Gated = true
	elsewhere := podOn("oak", "elsewhere", "elsewhere-0", "", "flex/none")
	elsewhere.Gated = true
	pods := []translate.Pod{
		podOn("oak", "train", "train-0", "n0", "oak"), podOn("oak", "train", "train-1", "n1", "oak"),
		podOn("oak", "bare", "bare-0", "n2", ""), // no target: it was counted for its namespace's quota
		podOn("elm", "away", "away-0", "n3", "flex"),
		podOn("oak", "half", "half-0", "n4", "flex"), podOn("oak", "half", "half-1", "", "flex"), // one of it waits, and not for Muster
		gated, podOn("oak", "late", "late-0", "", "oak"), elsewhere,
	}
	e := watched(t, pods)
	do := func(c core.Command) {
		t.Helper()
		if _, err := (testEngine{e}).Do(context.Background(), core.Request{Command: c, Actor: core.Reporter, Reason: "the test"}); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	do(core.SetMode{Cluster: "tiger", Mode: fleet.Shadow})
	do(core.SetMode{Cluster: "tiger", Mode: fleet.Enforce})
	var d division
	e.Read(func(s *fleet.State) {
		if !s.Cluster("tiger").Stale {
			t.Error("something is decided before it is known what is Muster's")
		}
		for _, w := range standingOf(s, "tiger") {
			if w.State != fleet.RunningW && w.State != fleet.Pending {
				t.Errorf("%s/%s is %s already", w.Namespace, w.Name, w.State)
			}
		}
		d = divide(s, "tiger", pods, map[string]bool{"oak": true})
	})
	var marked, mine, others []string
	for _, p := range d.pods {
		marked = append(marked, p.Name)
	}
	for _, c := range d.mine {
		mine = append(mine, fmt.Sprint(c.(core.Adopt).Name, c.(core.Adopt).Groups))
	}
	for _, c := range d.others {
		others = append(others, c.(core.Cancel).Name)
	}
	slices.Sort(marked)
	slices.Sort(mine)
	slices.Sort(others)
	for _, try := range []struct {
		what      string
		got, want []string
	}{
		{"pods that are marked", marked, []string{"train-0", "train-1"}},
		{"work that is taken over", mine, []string{"train[uid:job-train owner:Job/train]", "waits[uid:job-waits owner:Job/waits]"}},
		{"work that goes on without Muster", others, []string{"away", "bare", "elsewhere", "half", "late"}},
	} {
		if !slices.Equal(try.got, try.want) {
			t.Errorf("%s: %v, want %v", try.what, try.got, try.want)
		}
	}
	for _, c := range append(d.mine, d.others...) {
		do(c)
	}
	e.Read(func(s *fleet.State) {
		if again := divide(s, "tiger", pods, nil); len(again.mine)+len(again.pods) > 0 {
			t.Errorf("asked again it still takes over %v", again)
		}
		if w := s.Workload("oak", "train"); w.State != fleet.RunningW || onlySeen(w) {
			t.Errorf("train is %s with %v", w.State, w.Groups)
		}
	})
}
