package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// reclaim is room made by eviction: workloads of one GPU fill a fleet, and
// something comes to whom they must give way.
type reclaim struct {
	name     string
	nodes    int
	guests   int    // nodes of the guests' own quota
	crowd    string // target of the workloads of one GPU
	replicas int    // of what comes, in the owner's quota
	gpus     int    // of each replica
	peer     Peer
	aim      time.Duration // 0: none
}

// kaiReclaim makes room by eviction.
func kaiReclaim(ctx context.Context, o Options) (Report, error) {
	r := kaiReport(o, "kai-reclaim", "nodes × 8 GPUs full of workloads of 1 GPU, on flex or of a sibling that has half of the grants and borrows the rest;\n"+
		"the owner of the other grants submits one replica or a gang of reach any; victims leave at once, and then it runs")
	half := o.scaled(kaiNodes) / 2
	list := []reclaim{
		{name: "1 GPU from a borrower", nodes: 2 * half, guests: half, crowd: kaiGuest, replicas: 1, gpus: 1, peer: kaiPeer(13.9)},
		{name: "1 GPU from flex", nodes: 2 * half, crowd: fleet.Flex, replicas: 1, gpus: 1, peer: kaiPeer(13.9)},
		{name: "half × 8 from borrowers", nodes: 2 * half, guests: half, crowd: kaiGuest, replicas: half, gpus: 8, peer: kaiPeer(102)},
		{name: "half × 8 from flex", nodes: 2 * half, crowd: fleet.Flex, replicas: half, gpus: 8, peer: kaiPeer(102)},
		{name: "all × 8 from flex", nodes: 2 * half, crowd: fleet.Flex, replicas: 2 * half, gpus: 8, peer: kaiPeer(85)},
	}
	for _, like := range []struct {
		nodes   int
		seconds float64
		aim     time.Duration
	}{{100, 0.58, 0}, {500, 6.8, 0}, {1_000, 28.9, 300 * time.Millisecond}} {
		half := o.scaled(like.nodes) / 2
		list = append(list, reclaim{name: "half × 8 from borrowers", nodes: 2 * half, guests: half, crowd: kaiGuest, replicas: half, gpus: 8, peer: kaiHere(like.seconds, like.nodes), aim: like.aim})
	}
	for _, c := range list {
		o.say("%s, %d nodes", c.name, c.nodes)
		if err := r.reclaim(ctx, o, c); err != nil {
			return r, fmt.Errorf("%s, %d nodes: %w", c.name, c.nodes, err)
		}
	}
	r.remark("Decided: the one decision that chooses the victims and reserves their room. Until it runs: with the decisions about every victim's leaving, each a record of its own.")
	return r, nil
}

// victims are as many as there are GPUs to make room on: a node carries in-quota
// work of one quota only, so from a sibling whole nodes are taken.
func (c reclaim) victims() int {
	if c.guests > 0 {
		return (c.replicas*c.gpus + 7) / 8 * 8
	}
	return c.replicas * c.gpus
}

func (r *Report) reclaim(ctx context.Context, o Options, c reclaim) error {
	s, err := newKai(ctx, c.nodes, c.guests)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.crowd(ctx, c.crowd, c.nodes*8); err != nil {
		return err
	}
	s.clear()
	_, decided, err := s.submit(ctx, kaiWork("comes", kaiOwner, c.replicas, c.gpus), 0)
	if err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	of := fmt.Sprintf("%s, %d nodes", c.name, c.nodes)
	f := against(Figure{Name: of + ", decided", Value: ms(decided.wall), Unit: "ms"}, c.peer)
	if c.aim > 0 && !o.Quick {
		f = aimed(f, "≤ "+c.aim.String(), decided.wall <= c.aim)
	}
	r.add(f)
	r.add(Figure{Name: "… processor time of it", Value: ms(decided.work), Unit: "ms"})
	r.timed("… until it runs", s.all, c.peer)
	r.add(Figure{Name: "… victims", Value: float64(s.evicted), Unit: "workloads"})
	need := c.victims()
	if s.evicted != need {
		return fmt.Errorf("%d victims, not %d", s.evicted, need)
	}
	return s.sound(map[fleet.WorkloadState]int{fleet.RunningW: c.nodes*8 - need + 1, fleet.Pending: need, fleet.Starting: 0, fleet.Evicting: 0})
}

// kaiConsolidate makes whole nodes free by moving what stands scattered.
func kaiConsolidate(ctx context.Context, o Options) (Report, error) {
	nodes, gangs := o.scaled(kaiNodes), o.scaled(41)
	r := kaiReport(o, "kai-consolidate", fmt.Sprintf("%d nodes × 8 GPUs with a workload of 1 GPU on flex on every node; %d gangs of 10 × 8 GPUs in quota, reach any, are submitted;\n"+
		"the displaced start again elsewhere, and all run", nodes, gangs))
	s, err := newKai(ctx, nodes, 0)
	if err != nil {
		return r, err
	}
	defer s.close()
	if err := s.scatter(ctx, nodes); err != nil {
		return r, err
	}
	s.clear()
	for k := range gangs {
		if _, _, err := s.submit(ctx, kaiWork(fmt.Sprintf("gang-%d", k), kaiOwner, 10, 8), 0); err != nil {
			return r, err
		}
		if err := s.settle(ctx); err != nil {
			return r, err
		}
	}
	r.timed("until all run", s.all, kaiPeer(456))
	r.add(Figure{Name: "gangs and displaced that run", Value: float64(nodes + gangs), Unit: "workloads"})
	r.add(Figure{Name: "displaced", Value: float64(s.evicted), Unit: "workloads"})
	return r, s.sound(map[fleet.WorkloadState]int{fleet.RunningW: nodes + gangs, fleet.Pending: 0, fleet.Starting: 0, fleet.Evicting: 0})
}

// scatter leaves one workload of one GPU on every node.
func (s *stage) scatter(ctx context.Context, nodes int) error {
	if err := s.crowd(ctx, fleet.Flex, nodes*8); err != nil {
		return err
	}
	var over []uint64
	s.Read(func(state *fleet.State) {
		for _, n := range state.Partitions[0].Nodes {
			for _, res := range n.Residents()[1:] {
				over = append(over, res.Workload.ID)
			}
		}
	})
	for _, id := range over {
		if _, _, err := s.decide(ctx, core.Request{Command: core.ReportFinished{ID: id}, Actor: core.Reporter}); err != nil {
			return err
		}
	}
	return nil
}
