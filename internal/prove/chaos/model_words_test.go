package chaos_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// moment is so long after every story's beginning.
func moment(at time.Duration) fleet.Instant {
	return fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Add(at)
}

func pool(name string, rank, gpus, replicas int) fleet.Pool {
	reach := fleet.ReachIsland
	if replicas == 1 {
		reach = fleet.ReachAny
	}
	return fleet.Pool{Name: name, Rank: rank, GPUs: gpus, Min: replicas, Max: replicas, Reach: reach}
}

func elastic(name string, rank, gpus, low, high int) fleet.Pool {
	return fleet.Pool{Name: name, Rank: rank, GPUs: gpus, Min: low, Max: high, Elastic: true, Reach: fleet.ReachAny}
}

func job(ns, name, target string, priority fleet.Priority, pools ...fleet.Pool) core.Submit {
	return core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: ns, Target: target, Priority: priority, Grace: 30 * time.Second, Pools: pools,
	}}
}

// playAll plays a script of which no line may break a rule.
func playAll(t *testing.T, w *world, script ...step) {
	t.Helper()
	for _, st := range script {
		if f := w.play(st); f != nil {
			t.Fatal(f)
		}
	}
}
