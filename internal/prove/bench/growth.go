package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// growth measures how the cost of a decision grows with nodes, and with
// workloads that wait: a workload of one node ends and another one starts in its
// place, and one is submitted that must wait and is taken back.
func growth(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "growth", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	sizes := []int{1_000, 10_000, 100_000}
	if o.Quick {
		sizes = sizes[:2]
	}
	first := map[string]float64{}
	for _, nodes := range sizes {
		for _, waiting := range sizes {
			o.say("%d nodes, %d workloads waiting", nodes, waiting)
			h, err := newHall(ctx, nodes, waiting)
			if err != nil {
				return r, err
			}
			for _, kind := range []string{"end and start", "submit and wait"} {
				took, err := h.time(ctx, kind, o.scaled(2_000))
				if err != nil {
					return r, err
				}
				p50 := float64(took[len(took)/2]) / float64(time.Microsecond)
				f := Figure{Name: fmt.Sprintf("%s, %d nodes, %d waiting, p50", kind, nodes, waiting), Value: p50, Unit: "µs"}
				if first[kind] == 0 {
					first[kind] = p50
				} else {
					aim := math.Log(float64(nodes)) / math.Log(1_000) * math.Log(float64(waiting)) / math.Log(1_000)
					f = aimed(beside(f, p50/first[kind], "first"), fmt.Sprintf("≤ %.2f ×", aim), p50/first[kind] <= aim)
				}
				r.add(f)
				r.grows(kind+", µs", fmt.Sprintf("%s nodes", thousands(float64(nodes))), "waiting", Point{float64(waiting), p50})
			}
		}
	}
	r.remark("Decision engine only, in process, without disk. Islands of 100 nodes, a quota for every 20 nodes in trees of 8, all of it used by work of 1 and 4 nodes;\n" +
		"flex by 40 namespaces fills the rest. What waits is spread over quotas and namespaces, in the shapes that people submit.\n" +
		"The aim: no faster than the logarithm of nodes times that of waiting workloads.")
	return r, nil
}

// hall is a full partition in which many wait.
type hall struct {
	s      *fleet.State
	at     fleet.Instant
	quotas int
	drawn  int
	runs   []uint64      // workloads of one node that run in quota
	took   time.Duration // by the last submission
}

func (h *hall) do(c core.Command) (core.Outcome, error) {
	h.at = h.at.Add(time.Millisecond)
	out, refusal := core.Step(h.s, core.Request{Command: c, Actor: operator, Reason: "bench"}, h.at)
	if refusal != nil {
		return out, fmt.Errorf("%T: %s", c, refusal.Message)
	}
	return out, nil
}

// settle lets all evicted work leave.
func (h *hall) settle() error {
	p := h.s.Partitions[0]
	for len(p.Leaving()) > 0 {
		w := p.Leaving()[0]
		spots := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
		if _, err := h.do(core.ReportStopped{ID: w.ID, Spots: spots}); err != nil {
			return err
		}
	}
	return nil
}

// newHall fills a partition of so many nodes, and lets so many more wait.
func newHall(ctx context.Context, nodes, waiting int) (*hall, error) {
	h := &hall{s: fleet.NewState(), at: busyStart, quotas: max(8, nodes/20)}
	each := nodes * 8 / 10 / h.quotas
	if err := h.build(nodes, each); err != nil {
		return nil, err
	}
	if err := h.fill(nodes, each); err != nil {
		return nil, err
	}
	for i := range waiting {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		target := fleet.Flex
		if i%3 > 0 {
			target = quota(i * 7919 % h.quotas)
		}
		if err := h.submit(target, 1<<(i%3), fleet.Priority(1+i%3)); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// build makes the nodes, and gives each quota so many of them.
func (h *hall) build(nodes, each int) error {
	commands := []core.Command{
		core.AddCluster{Name: cluster},
		core.AddPartition{Cluster: cluster, GPU: gpu},
		core.AddIslands{Partition: partition, Islands: hallIslands(nodes)},
	}
	for q := range h.quotas {
		commands = append(commands,
			core.CreateQuota{Path: quota(q)},
			core.SetGrant{Quota: quota(q), Partition: partition, GPUs: each * 8})
	}
	for _, c := range commands {
		if _, err := h.do(c); err != nil {
			return err
		}
	}
	return nil
}

// fill uses all that every quota has, every other one with a gang first, and all flex.
func (h *hall) fill(nodes, each int) error {
	for q := range h.quotas {
		left := each
		if q%2 == 0 && left >= 4 {
			if err := h.submit(quota(q), 4, fleet.Mid); err != nil {
				return err
			}
			left -= 4
		}
		for range left {
			if err := h.submit(quota(q), 1, fleet.Mid); err != nil {
				return err
			}
		}
	}
	for range nodes - h.quotas*each {
		if err := h.submit(fleet.Flex, 1, fleet.Mid); err != nil {
			return err
		}
	}
	return nil
}

func hallIslands(nodes int) []core.NewIsland {
	var list []core.NewIsland
	for i := 0; nodes > 0; i++ {
		n := min(nodes, 100)
		list = append(list, core.NewIsland{Name: fmt.Sprintf("i%04d", i+1), Nodes: n, Racks: 5})
		nodes -= n
	}
	return list
}

// submit submits a gang of whole nodes, and remembers it if it runs alone on a node in quota.
func (h *hall) submit(target string, nodes int, priority fleet.Priority) error {
	h.drawn++
	pool := fleet.Pool{Name: "w", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachIsland}
	if nodes == 1 {
		pool.Reach = fleet.ReachAny
	}
	err := h.submitted(core.Submit{Spec: fleet.Spec{
		Name: fmt.Sprintf("w%d", h.drawn), Namespace: fmt.Sprintf("team%d", h.drawn%40), User: "bench",
		Target: target, Priority: priority, Grace: fleet.DefaultGrace, Pools: []fleet.Pool{pool},
	}})
	if w := h.s.Workloads[h.s.NextID-1]; err == nil && w.Account() != nil && nodes == 1 && w.State == fleet.RunningW {
		h.runs = append(h.runs, w.ID)
	}
	return err
}

// submitted submits, and notes how long that took before anybody had left.
func (h *hall) submitted(c core.Submit) error {
	began := time.Now()
	_, err := h.do(c)
	h.took = time.Since(began)
	if err != nil {
		return err
	}
	return h.settle()
}

// time measures decisions of one kind, sorted by how long they took.
func (h *hall) time(ctx context.Context, kind string, n int) ([]time.Duration, error) {
	var took []time.Duration
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var span time.Duration
		var err error
		if kind == "end and start" {
			span, err = h.end(i)
		} else {
			span, err = h.wait(i)
		}
		if err != nil {
			return nil, err
		}
		took = append(took, span)
	}
	slices.Sort(took)
	return took, nil
}

// end times the end of a workload of one node, and what starts because of it.
func (h *hall) end(i int) (time.Duration, error) {
	id := h.runs[i%len(h.runs)]
	target := h.s.Workloads[id].Target
	began := time.Now()
	_, err := h.do(core.ReportFinished{ID: id})
	took := time.Since(began)
	if err == nil {
		err = h.settle()
	}
	if err != nil {
		return took, err
	}
	// Each newcomer takes the place of work that went, so that the hall stays as full.
	if err := h.submit(target, 1, fleet.Critical); err != nil {
		return took, err
	}
	if w := h.s.Workloads[h.s.NextID-1]; w.State == fleet.RunningW {
		h.runs[i%len(h.runs)] = w.ID
		h.runs = h.runs[:len(h.runs)-1]
	} else {
		h.runs = slices.Delete(h.runs, i%len(h.runs), i%len(h.runs)+1)
	}
	return took, nil
}

// wait times the submission of a workload that must wait; it is taken back.
func (h *hall) wait(i int) (time.Duration, error) {
	if err := h.submit(quota(i*31%h.quotas), 1, fleet.Low); err != nil {
		return 0, err
	}
	took := h.took
	w := h.s.Workloads[h.s.NextID-1]
	_, err := h.do(core.Cancel{Namespace: w.Namespace, Name: w.Name})
	return took, err
}
