package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	inmemory "github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// kueueCase is one of the performance tests that Kueue has: trees of quotas, and
// what each quota's people submit.
type kueueCase struct {
	trees, quotas int // quotas in each tree
	grant         int // GPUs of each quota, one on each node
	sets          []kueueSet
}

// kueueSet is a number of alike workloads that come one by one.
type kueueSet struct {
	name     string
	count    int
	gpus     int
	every    time.Duration
	runs     time.Duration
	priority fleet.Priority
}

// kueueSets are the sets of the baseline, so many times in hundredths.
func kueueSets(percent int) []kueueSet {
	return []kueueSet{
		{"small", 350 * percent / 100, 1, 100 * time.Millisecond, 200 * time.Millisecond, fleet.Low},
		{"medium", 100 * percent / 100, 5, 500 * time.Millisecond, 500 * time.Millisecond, fleet.Mid},
		{"large", 50 * percent / 100, 20, 1200 * time.Millisecond, time.Second, fleet.High},
	}
}

// kueueBaseline is Kueue's baseline: 5 trees of 6 quotas of 20 GPUs, 500 workloads each.
func kueueBaseline(ctx context.Context, o Options) (Report, error) {
	percent := o.scaled(100)
	c := kueueCase{5, 6, 20, kueueSets(percent)}
	r := Report{Bench: "kueue-baseline", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed, Recipe: c.recipe()}
	s, span, spent, err := c.run(ctx, o)
	if err != nil {
		return r, err
	}
	defer s.close()
	makespan := Figure{Name: "makespan in virtual time", Value: span.Seconds(), Unit: "s"}
	if !o.Quick {
		makespan = aimed(makespan, "≤ 77 s", span <= 77*time.Second)
	}
	r.add(against(makespan, kueuePeer(351, "s", kueueOf)))
	r.add(against(Figure{Name: "use of the GPUs by work that came to its end", Value: 100 * c.ideal().Seconds() / span.Seconds(), Unit: "%"},
		kueuePeer(56, "%", "mean use of its quotas")))
	r.kueueRates(s, c.workloads(), spent, 30_000, kueueHere(176, "admissions/CPU-s", "376 s, 40 admissions/s, 680 MiB; of its own process"))
	r.remark("Without evictions the work fills the GPUs for %.1f s. Victims leave at once and begin anew when they start again, as Kueue's do.", c.ideal().Seconds())
	return r, nil
}

// kueueLarge is Kueue's large-scale test: 10 trees of 100 quotas, 50 workloads each.
func kueueLarge(ctx context.Context, o Options) (Report, error) {
	c := kueueCase{10, o.scaled(100), 20, kueueSets(10)}
	r := Report{Bench: "kueue-large", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed, Recipe: c.recipe()}
	s, span, spent, err := c.run(ctx, o)
	if err != nil {
		return r, err
	}
	defer s.close()
	r.add(against(Figure{Name: "makespan in virtual time", Value: span.Seconds(), Unit: "s"}, kueuePeer(1179, "s", kueueOf)))
	r.kueueRates(s, c.workloads(), spent, 0, kueuePeer(1179, "s", kueueOf))
	r.remark("Without evictions the work fills the GPUs for %.1f s. The mix of the baseline, a tenth of it for each quota.", c.ideal().Seconds())
	return r, nil
}

// kueueRates adds how much work the engine had. A rate is aimed at where there is an aim.
func (r *Report) kueueRates(s *stage, workloads int, spent time.Duration, aim float64, peer Peer) {
	rate := float64(workloads) / spent.Seconds()
	f := Figure{Name: "admissions per second of the process", Value: rate, Unit: "admissions/CPU-s"}
	if aim > 0 && !r.Quick {
		f = aimed(f, fmt.Sprintf("≥ %.0f", aim), rate >= aim)
	}
	if peer.Unit == f.Unit {
		f = against(f, peer)
	}
	r.add(f)
	r.add(Figure{Name: "admissions per second of the deciding thread", Value: float64(workloads) / s.all.work.Seconds(), Unit: "admissions/CPU-s"})
	decided := Figure{Name: "all decisions, on the wall", Value: s.all.wall.Seconds(), Unit: "s"}
	if peer.Unit == "s" {
		decided = against(decided, peer)
	}
	r.add(decided)
	r.add(Figure{Name: "workloads admitted and ended", Value: float64(s.finished), Unit: "workloads"})
	r.add(Figure{Name: "starts, again after evictions too", Value: float64(s.starts), Unit: "starts"})
	r.add(Figure{Name: "evictions", Value: float64(s.evicted), Unit: "evictions"})
	r.add(Figure{Name: "decisions", Value: float64(s.decided), Unit: "commands"})
	r.engineOnly()
	r.remark("The seconds of the process are all that it used while the case ran: the cluster that is simulated, the journal in memory and the garbage collector too.")
}

func (c kueueCase) recipe() string {
	text := fmt.Sprintf("%d trees × %d quotas of %d GPUs on nodes of 1 GPU, buffer 0; each quota submits", c.trees, c.quotas, c.grant)
	for k, set := range c.sets {
		text += fmt.Sprintf("%s %d × %d GPUs for %s every %s", []string{"", ",", ","}[k], set.count, set.gpus, set.runs, set.every)
	}
	return text + fmt.Sprintf(" (importance rising with size; gangs of reach any); %d workloads", c.workloads())
}

func (c kueueCase) workloads() (n int) {
	for _, set := range c.sets {
		n += set.count
	}
	return n * c.trees * c.quotas
}

// ideal is how long the work would take if it always filled all GPUs.
func (c kueueCase) ideal() time.Duration {
	var work time.Duration
	for _, set := range c.sets {
		work += time.Duration(set.count*set.gpus) * set.runs
	}
	return work / time.Duration(c.grant)
}

// run plays the case to its end: the stage, how long it took in virtual time, and
// the processor time of the whole process.
func (c kueueCase) run(ctx context.Context, o Options) (*stage, time.Duration, time.Duration, error) {
	s, err := newStage(ctx, inmemory.New())
	if err != nil {
		return nil, 0, 0, err
	}
	if err := s.build(ctx, c.commands()...); err != nil {
		return nil, 0, 0, err
	}
	s.clear()
	began, used := s.now, spent()
	if err := c.play(ctx, o, s); err != nil {
		return nil, 0, 0, err
	}
	used = spent() - used
	err = s.sound(map[fleet.WorkloadState]int{
		fleet.Pending: 0, fleet.Starting: 0, fleet.RunningW: 0, fleet.Evicting: 0,
	})
	return s, s.now.Sub(began), used, err
}

// arrival is a workload that is yet to come.
type arrival struct {
	at   fleet.Instant
	runs time.Duration
	spec fleet.Spec
}

func (c kueueCase) play(ctx context.Context, o Options, s *stage) error {
	for k, a := range c.arrivals(s.now) {
		if k%5000 == 0 {
			o.say("%d of %d workloads submitted", k, c.workloads())
		}
		if err := s.play(ctx, a.at); err != nil {
			return err
		}
		s.now = a.at
		if _, _, err := s.submit(ctx, a.spec, a.runs); err != nil {
			return err
		}
	}
	for s.finished < c.workloads() {
		more, err := s.step(ctx, fleet.Never)
		if err != nil {
			return err
		}
		if !more {
			return fmt.Errorf("%d of %d workloads never ended", c.workloads()-s.finished, c.workloads())
		}
	}
	return nil
}

func (c kueueCase) arrivals(from fleet.Instant) []arrival {
	var list []arrival
	for q := range c.trees * c.quotas {
		for _, set := range c.sets {
			for k := range set.count {
				list = append(list, arrival{from.Add(time.Duration(k) * set.every), set.runs, c.spec(q, set, k)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return list
}

func (c kueueCase) path(q int) string { return fmt.Sprintf("tree%d/quota%d", q/c.quotas, q%c.quotas) }

func (c kueueCase) spec(q int, set kueueSet, k int) fleet.Spec {
	return fleet.Spec{
		Name: fmt.Sprintf("%s-%d", set.name, k), Namespace: fmt.Sprintf("team%d", q), User: "bench",
		Target: c.path(q), Priority: set.priority,
		Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: set.gpus, Max: set.gpus, Reach: fleet.ReachAny}},
	}
}

func (c kueueCase) commands() []core.Command {
	list := append(unbuffered(),
		core.AddCluster{Name: cluster},
		core.AddPartition{Cluster: cluster, GPU: gpu, GPUsPerNode: 1},
		core.AddIslands{Partition: partition, Islands: islandsOf(c.trees*c.quotas*c.grant, c.quotas*c.grant)})
	for q := range c.trees * c.quotas {
		list = append(list, core.CreateQuota{Path: c.path(q)}, core.SetGrant{Quota: c.path(q), Partition: partition, GPUs: c.grant})
	}
	return list
}

// unbuffered promises every healthy node: the peers keep none back.
func unbuffered() []core.Command {
	p := fleet.DefaultPolicy()
	p.Buffer = fleet.Buffer{Kind: fleet.Fixed}
	return []core.Command{core.SetPolicy{Policy: p}}
}

// islandsOf makes islands of so many nodes each.
func islandsOf(nodes, each int) []core.NewIsland {
	var list []core.NewIsland
	for i := 0; nodes > 0; i++ {
		n := min(nodes, each)
		list = append(list, core.NewIsland{Name: fmt.Sprintf("i%04d", i+1), Nodes: n})
		nodes -= n
	}
	return list
}
