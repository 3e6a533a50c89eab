package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	inmemory "github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// kaiNodes is the size of the fleet of KAI's scale tests, 8 GPUs on each node.
const kaiNodes = 500

// The quotas of the kai benches: siblings in one tree, so that one may lend to the other.
const (
	kaiOwner = "kai/owner"
	kaiGuest = "kai/guest"
)

// newKai is a fleet of so many nodes in islands of 100, all of it promised: to the
// owner except for some nodes that the guest has.
func newKai(ctx context.Context, nodes, guests int) (*stage, error) {
	s, err := newStage(ctx, inmemory.New())
	if err != nil {
		return nil, err
	}
	commands := append(unbuffered(),
		core.AddCluster{Name: cluster},
		core.AddPartition{Cluster: cluster, GPU: gpu},
		core.AddIslands{Partition: partition, Islands: islandsOf(nodes, 100)},
		core.CreateQuota{Path: kaiOwner}, core.SetGrant{Quota: kaiOwner, Partition: partition, GPUs: (nodes - guests) * 8})
	if guests > 0 {
		commands = append(commands, core.CreateQuota{Path: kaiGuest}, core.SetGrant{Quota: kaiGuest, Partition: partition, GPUs: guests * 8})
	}
	err = s.build(ctx, commands...)
	return s, err
}

// kaiWork is a workload of the kai benches: so many replicas of so many GPUs anywhere.
func kaiWork(name, target string, replicas, gpus int) fleet.Spec {
	return fleet.Spec{
		Name: name, Namespace: "team", User: "bench", Target: target, Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: gpus, Min: replicas, Max: replicas, Reach: fleet.ReachAny}},
	}
}

// crowd submits so many workloads of one GPU, all of which must run.
func (s *stage) crowd(ctx context.Context, target string, n int) error {
	for k := range n {
		if _, _, err := s.submit(ctx, kaiWork(fmt.Sprintf("one-%d", k), target, 1, 1), 0); err != nil {
			return err
		}
	}
	if runs := s.states()[fleet.RunningW]; runs != n {
		return fmt.Errorf("%d of %d workloads of one GPU run", runs, n)
	}
	return nil
}

func kaiReport(o Options, name, recipe string) Report {
	r := Report{Bench: name, Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed, Recipe: recipe}
	r.engineOnly()
	return r
}

// timed adds a time beside a peer's, and the processor time of the deciding thread.
func (r *Report) timed(name string, l lap, p Peer) {
	r.add(against(Figure{Name: name, Value: ms(l.wall), Unit: "ms"}, p))
	if l.work > 0 {
		r.add(Figure{Name: "… processor time of it", Value: ms(l.work), Unit: "ms"})
	}
}

// kaiFill fills the nodes with workloads of one GPU.
func kaiFill(ctx context.Context, o Options) (Report, error) {
	nodes := o.scaled(kaiNodes)
	r := kaiReport(o, "kai-fill", fmt.Sprintf("%d empty nodes × 8 GPUs; %d workloads of 1 GPU are submitted one by one", nodes, nodes*8))
	s, err := newKai(ctx, nodes, 0)
	if err != nil {
		return r, err
	}
	defer s.close()
	s.clear()
	if err := s.crowd(ctx, kaiOwner, nodes*8); err != nil {
		return r, err
	}
	r.timed("until all run", s.all, kaiPeer(398))
	r.add(Figure{Name: "workloads that run", Value: float64(s.starts), Unit: "workloads"})
	return r, s.sound(map[fleet.WorkloadState]int{fleet.RunningW: nodes * 8, fleet.Pending: 0})
}

// kaiGang starts one large gang.
func kaiGang(ctx context.Context, o Options) (Report, error) {
	nodes := o.scaled(kaiNodes)
	replicas := o.scaled(512)
	r := kaiReport(o, "kai-gang", fmt.Sprintf("%d empty nodes × 8 GPUs; one gang of %d replicas of 1 GPU, reach any", nodes, replicas))
	s, err := newKai(ctx, nodes, 0)
	if err != nil {
		return r, err
	}
	defer s.close()
	_, l, err := s.submit(ctx, kaiWork("gang", kaiOwner, replicas, 1), 0)
	if err != nil {
		return r, err
	}
	r.timed("until it runs", l, kaiPeer(48.7))
	r.add(Figure{Name: "workloads that run", Value: float64(s.starts), Unit: "workloads"})
	return r, s.sound(map[fleet.WorkloadState]int{fleet.RunningW: 1, fleet.Pending: 0})
}

// kaiUnschedulable finds that a gang cannot start, and says why.
func kaiUnschedulable(ctx context.Context, o Options) (Report, error) {
	nodes := o.scaled(kaiNodes)
	r := kaiReport(o, "kai-unschedulable", fmt.Sprintf("%d nodes × 8 GPUs full of workloads of 1 GPU in one quota; a gang of 10 × 8 GPUs of the same importance is submitted there, "+
		"found to have no room, told why, and taken back; the median of many", nodes))
	s, err := newKai(ctx, nodes, 0)
	if err != nil {
		return r, err
	}
	defer s.close()
	if err := s.crowd(ctx, kaiOwner, nodes*8); err != nil {
		return r, err
	}
	var found, told laps
	waited := 0
	for range o.scaled(1_000) {
		w := kaiWork("gang", kaiOwner, 10, 8)
		_, l, err := s.submit(ctx, w, 0)
		if err != nil {
			return r, err
		}
		why, code := s.why(w.Namespace, w.Name)
		if code != reason.QuotaFull {
			return r, fmt.Errorf("the gang's reason is %q", code)
		}
		waited++
		found, told = append(found, l), append(told, why)
		if _, _, err := s.decide(ctx, core.Request{Command: core.Cancel{Namespace: w.Namespace, Name: w.Name}, Actor: operator}); err != nil {
			return r, err
		}
	}
	l := found.at(50).plus(told.at(50))
	f := against(Figure{Name: "found and told why, p50", Value: ms(l.wall), Unit: "ms"}, kaiPeer(249.5))
	r.add(aimed(f, "≤ 1 ms", l.wall <= time.Millisecond))
	r.add(Figure{Name: "found, p99", Value: ms(found.at(99).wall), Unit: "ms"})
	r.add(Figure{Name: "told why, p99", Value: ms(told.at(99).wall), Unit: "ms"})
	r.add(Figure{Name: "gangs found without room", Value: float64(waited), Unit: "workloads"})
	return r, s.sound(map[fleet.WorkloadState]int{fleet.RunningW: nodes * 8, fleet.Pending: 0})
}

// why asks for a workload's reason.
func (s *stage) why(namespace, name string) (l lap, code reason.Code) {
	s.Read(func(state *fleet.State) {
		began, worked := time.Now(), threadTime()
		blockers := explain.Why(state, state.Workload(namespace, name), s.now)
		l = lap{time.Since(began), threadTime() - worked}
		if len(blockers) > 0 {
			code = blockers[0].Code
		}
	})
	return l, code
}
