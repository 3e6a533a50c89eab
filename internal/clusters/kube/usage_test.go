package kube

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestIdleIsWhatIsMeasured lets a workload be measured, and then not any more: it is
// idle for as long as it was seen to be. Then it is not known, which is said.
func TestIdleIsWhatIsMeasured(t *testing.T) {
	now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	e, err := engine.Open(context.Background(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return now }, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	a := NewReconciler(nil, testEngine{e}, Options{Translate: translate.Defaults("tiger")})
	pods := []translate.Pod{{Namespace: "oak", Name: "train-0", UID: "1", GPUs: 8, Node: "n1", Index: -1, Owner: translate.Owner{Kind: "Job", Name: "train"}}}
	show(t, 0, e, "tiger", snapshotOf(objects{nodes: []translate.Node{{Name: "n1", GPU: "h200", GPUs: 8, Island: "a"}}, pods: pods}), now)
	a.usage.work = translate.Group(pods)
	idle := func() (d time.Duration) {
		e.Read(func(s *fleet.State) { d = s.Workload("oak", "train").IdleFor(now) })
		return d
	}
	take := func(readings map[dcgm.Pod]dcgm.Reading, trouble error) {
		t.Helper()
		if err := a.usage.takeReadings(context.Background(), readings, trouble); err != nil {
			t.Fatal(err)
		}
	}
	if take(nil, nil); idle() != 0 || len(a.usage.unmeasured) != 1 {
		t.Errorf("never measured it is idle for %s, and %v is said", idle(), a.usage.unmeasured)
	}
	take(map[dcgm.Pod]dcgm.Reading{{Namespace: "oak", Name: "train-0"}: {SM: 10, Tensor: fleet.Unmeasured}}, nil)
	now = now.Add(5 * time.Hour)
	if idle() != 5*time.Hour || len(a.usage.unmeasured) != 0 {
		t.Errorf("idle for %s, want 5 h; %v is said", idle(), a.usage.unmeasured)
	}
	if take(nil, errors.New("connection refused")); idle() != 0 || len(a.usage.unmeasured) != 1 {
		t.Errorf("not measured any more it is idle for %s, and %v is said", idle(), a.usage.unmeasured)
	}
}
