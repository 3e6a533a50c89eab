package kube

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWhateverAClusterShowsIsToldWithoutContradiction shows random clusters that
// change at random: more pods on a node than it holds, pods on unknown nodes,
// quotas of half a node, nodes that fail, vanish and change their labels. No command
// is refused, no law is broken, and shown the same again there is nothing to say.
func TestWhateverAClusterShowsIsToldWithoutContradiction(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		e, err := engine.Open(context.Background(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return now }, Synchronous: true})
		if err != nil {
			t.Fatal(err)
		}
		nodes, pods := map[string]translate.Node{}, map[string]translate.Pod{}
		quotas := []translate.Quota{{Path: "oak", Namespaces: []string{"oak"}, Grants: []translate.Grant{{GPUs: r.IntN(60)}}}, {Path: "c/elm", Namespaces: []string{"elm", "ash"}, Grants: []translate.Grant{{Model: "h200", GPUs: 24}}}}
		for range 25 {
			now = now.Add(time.Duration(r.IntN(600)) * time.Second)
			changeNodes(r, nodes, now)
			changePods(r, pods, now)
			if r.IntN(10) == 0 {
				quotas[0].Grants[0].GPUs = r.IntN(60)
			}
			p := snapshotOf(objects{nodes: values(nodes), pods: values(pods), quotas: quotas})
			if said := show(t, seed, e, "tiger", p, now); said < 0 {
				return
			}
			if said := show(t, seed, e, "tiger", p, now); said > 0 {
				t.Fatalf("seed %d: shown the same again, it has %d commands", seed, said)
			}
			e.Read(func(s *fleet.State) {
				for _, b := range invariant.Check(s) {
					t.Fatalf("seed %d: broken: %s", seed, b)
				}
			})
		}
	}
}

func values[V any](m map[string]V) (list []V) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[k])
	}
	return list
}

// show brings the state to a picture, and counts the commands that it took.
func show(t *testing.T, seed uint64, e *engine.Engine, cluster string, p Snapshot, now fleet.Instant) (said int) {
	t.Helper()
	for _, step := range []func(*fleet.State) []core.Command{
		func(s *fleet.State) []core.Command {
			c, _ := inventory(s, cluster, fleet.Observe, p.Nodes, now)
			return c
		},
		func(s *fleet.State) []core.Command { return nodeStates(s, cluster, p.Nodes, now) },
		func(s *fleet.State) []core.Command { c, _ := grants(s, cluster, p.Quotas); return c },
		func(s *fleet.State) []core.Command { c, _ := observed(s, cluster, core.Reporter, p); return c },
	} {
		var commands []core.Command
		e.Read(func(s *fleet.State) { commands = step(s) })
		for _, c := range commands {
			_, err := Scoped(testEngine{e}, cluster).Do(context.Background(), core.Request{Command: c, Actor: core.Reporter, Reason: "the test"})
			var no *core.Refusal
			if errors.As(err, &no) {
				t.Fatalf("seed %d: %T %+v is refused: %v", seed, c, c, err)
			}
		}
		said += len(commands)
	}
	return said
}

func changeNodes(r *rand.Rand, nodes map[string]translate.Node, now fleet.Instant) {
	for range 1 + r.IntN(3) {
		name := fmt.Sprintf("n%d", r.IntN(9))
		switch n, known := nodes[name]; {
		case !known:
			nodes[name] = translate.Node{Name: name, GPU: "h200", GPUs: 8, Island: []string{"a", "b"}[r.IntN(2)], Rack: []string{"", "r1"}[r.IntN(2)]}
		case r.IntN(6) == 0:
			delete(nodes, name)
		default:
			n.Cordoned, n.Broken, n.Dead, n.Signals = "", "", 0, nil
			switch r.IntN(6) {
			case 0:
				n.Cordoned = "cordoned"
			case 1:
				n.Broken = "node.kubernetes.io/unreachable"
			case 2:
				n.Dead = r.IntN(9)
			case 3:
				n.Signals = []fleet.Signal{{Agent: "kubelet", Check: "NodeReady", Node: name, At: now.Add(-time.Duration(r.IntN(900)) * time.Second)}}
			case 4:
				n.GPU, n.Island = []string{"h200", "b300"}[r.IntN(2)], "c"
			}
			nodes[name] = n
		}
	}
}

func changePods(r *rand.Rand, pods map[string]translate.Pod, now fleet.Instant) {
	for range 1 + r.IntN(5) {
		name := fmt.Sprintf("p%d", r.IntN(14))
		p, known := pods[name]
		switch {
		case !known:
			owner := translate.Owner{}
			if r.IntN(2) == 0 {
				owner = translate.Owner{Kind: "Job", Name: fmt.Sprintf("job%d", r.IntN(3)), Elastic: r.IntN(3) == 0, Pool: []string{"", "grader"}[r.IntN(2)]}
			}
			p = translate.Pod{
				Namespace: []string{"oak", "elm", "ash", "fir"}[r.IntN(4)], Name: name, UID: name, GPUs: []int{1, 2, 4, 8, 8, 8, 16, 64}[r.IntN(8)], Created: now, Index: -1, Owner: owner,
				Wishes: translate.Wishes{Priority: fleet.Priority(r.IntN(4)), Target: []string{"", "", "flex", "oak", "nobody"}[r.IntN(5)], Rank: r.IntN(2)},
			}
		case r.IntN(5) == 0:
			delete(pods, name)
			continue
		case p.Node == "":
			p.Node = fmt.Sprintf("n%d", r.IntN(11)) // some are not known
		case r.IntN(3) == 0:
			p.Over, p.Failed = true, r.IntN(2) == 0
		default:
			p.Leaving = true
		}
		pods[name] = p
	}
}
