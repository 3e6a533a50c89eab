package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The whole fleet: what it is made of. (Variables, so that a profile may be taken
// of a smaller fleet of the same density.)
var (
	wholeClusters = 200
	wholeNodes    = 500 // of each cluster
	wholeRunning  = 20_000
	wholeWaiting  = 50_000
	wholeTrees    = 100 // each with grants in four clusters
)

const (
	wholeQuotas = 4 // of each tree
	wholeLasts  = 12 * time.Hour
)

// whole is a fleet of many clusters on its way through a day.
type whole struct {
	*stage
	g *gathering
	r *rand.Rand

	clusters, nodes, trees int
	drawn                  int
	runs, waits            int      // once filled
	names                  []string // of nodes
	out                    map[string]bool
	back                   []repair // in order of time
	lived
}

// lived is what is counted while the fleet lives on.
type lived struct {
	submits, mends, falls laps
	broken                int // gangs in quota that lost a node
	mended                int
}

// repair is the return of a node.
type repair struct {
	at   fleet.Instant
	node string
}

// wholeFleet plays a day of a large fleet.
func wholeFleet(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "fleet", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	r.engineOnly()
	path, done, err := o.journal()
	if err != nil {
		return r, err
	}
	defer done()
	w, err := newWhole(ctx, o, path)
	if err != nil {
		return r, err
	}
	defer w.close()
	r.Recipe = w.recipe(o)
	if err := w.fill(ctx, o); err != nil {
		return r, err
	}
	if _, err := w.save(ctx); err != nil {
		return r, err
	}
	if err := w.day(ctx, o); err != nil {
		return r, err
	}
	if err := r.whole(ctx, o, w); err != nil {
		return r, err
	}
	err = r.wholeRestart(ctx, w, path)
	return r, err
}

// journal is the file of the bench's journal, and what is to be done with it in the end.
func (o Options) journal() (path string, done func(), err error) {
	if o.Keep != "" {
		if err = os.MkdirAll(o.Keep, 0o755); err != nil {
			return "", nil, fmt.Errorf("a folder to keep the journal in: %w", err)
		}
		path = filepath.Join(o.Keep, "fleet.db")
		if _, err = os.Stat(path); err == nil {
			return "", nil, fmt.Errorf("folder %s has a journal already; name another one to keep this in", o.Keep)
		}
		return path, func() {}, nil
	}
	dir, err := os.MkdirTemp(o.Dir, "muster-bench-")
	if err != nil {
		return "", nil, fmt.Errorf("a folder to measure in: %w", err)
	}
	return filepath.Join(dir, "fleet.db"), func() { _ = os.RemoveAll(dir) }, nil
}

func newWhole(ctx context.Context, o Options, path string) (*whole, error) {
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	w := &whole{
		g: &gathering{Journal: j}, r: newRand(o.Seed, 11), out: map[string]bool{},
		clusters: o.scaled(wholeClusters), nodes: o.scaled(wholeNodes), trees: o.scaled(wholeTrees),
	}
	if w.stage, err = newStage(ctx, w.g); err != nil {
		return nil, err
	}
	w.hear = func(event.Record) error { return w.g.relieve(ctx) }
	o.say("build %d clusters of %d nodes", w.clusters, w.nodes)
	err = w.clustersAndGrants(ctx)
	return w, err
}

func (w *whole) close() {
	w.stage.close()
	w.g.Close()
}

func wholeCluster(c int) string   { return fmt.Sprintf("c%03d", c) }
func wholePartition(c int) string { return wholeCluster(c) + "/" + gpu }
func wholeQuota(t, q int) string  { return fmt.Sprintf("tree%02d/quota%d", t, q) }

// clustersAndGrants builds the clusters, and gives every tree grants in four of them: two trees share a cluster.
func (w *whole) clustersAndGrants(ctx context.Context) error {
	for c := range w.clusters {
		if err := w.build(ctx, core.AddCluster{Name: wholeCluster(c)}, core.AddPartition{Cluster: wholeCluster(c), GPU: gpu},
			core.AddIslands{Partition: wholePartition(c), Islands: islandsOf(w.nodes, 100)}); err != nil {
			return err
		}
	}
	each := w.nodes * 8 / 10 / 2 / wholeQuotas * 8 // GPUs in whole nodes, within the buffer
	for t := range w.trees {
		for q := range wholeQuotas {
			commands := []core.Command{core.CreateQuota{Path: wholeQuota(t, q)}}
			for _, c := range w.places(t) {
				commands = append(commands, core.SetGrant{Quota: wholeQuota(t, q), Partition: wholePartition(c), GPUs: each})
			}
			if err := w.build(ctx, commands...); err != nil {
				return err
			}
		}
	}
	w.Read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			for _, n := range p.Nodes {
				w.names = append(w.names, n.Name)
			}
		}
	})
	return nil
}

// relieve writes what was gathered before it is so much that an Append would.
func (g *gathering) relieve(ctx context.Context) error {
	if len(g.entries) < 1000 {
		return nil
	}
	return g.flush(ctx)
}

// places are the clusters in which a tree has grants.
func (w *whole) places(t int) []int {
	var list []int
	for k := range 4 {
		list = append(list, (2*t+k)%w.clusters)
	}
	return list
}

func (w *whole) recipe(o Options) string {
	return fmt.Sprintf("%d clusters × %d nodes × 8 GPUs in islands of 100; %d trees of %d quotas, each with grants in four clusters; %d workloads of 1 to 256 GPUs (single replicas,\n"+
		"gangs of 2 to 32 nodes, elastic pools of 1 to 16 GPUs) of forty namespaces, two in three in a quota (half of these name a partition), the others on flex\n"+
		"of one cluster, are submitted: what does not run waits. Then for a day they come as often as they end (%s each on average) and 4 of 1,000 nodes fail a day. The journal is SQLite, written between the decisions.",
		w.clusters, w.nodes, w.trees, wholeQuotas, w.share(o, wholeRunning+wholeWaiting), wholeLasts)
}

// share is how many of so many workloads there are on a fleet that is a tenth in both directions.
func (w *whole) share(o Options, n int) int {
	if o.Quick {
		return n / 100
	}
	return n
}

// spec draws a workload.
func (w *whole) spec() fleet.Spec {
	w.drawn++
	t := w.r.IntN(w.trees)
	places := w.places(t)
	s := fleet.Spec{
		Name: fmt.Sprintf("w%d", w.drawn), Namespace: fmt.Sprintf("team%d", w.r.IntN(40)), User: "bench",
		Target: wholeQuota(t, w.r.IntN(wholeQuotas)), Priority: fleet.Priority(w.r.IntN(4)), Grace: fleet.DefaultGrace,
		CheckpointEvery: time.Hour, Pools: []fleet.Pool{w.shape()},
	}
	switch w.r.IntN(6) {
	case 0, 1:
		s.Target, s.Partition = fleet.Flex, wholePartition(w.r.IntN(w.clusters))
	case 2, 3:
		s.Partition = wholePartition(places[w.r.IntN(len(places))])
	}
	return s
}

// shape draws what a workload is: small ones, gangs, large gangs, elastic pools.
func (w *whole) shape() fleet.Pool {
	p := fleet.Pool{Name: "w", GPUs: 8, Min: 1, Reach: fleet.ReachIsland}
	switch k := w.r.IntN(100); {
	case k < 14:
		p.GPUs = 1 << w.r.IntN(4)
	case k < 18:
		p.GPUs, p.Elastic, p.Max = 1, true, 16
	case k < 55:
		p.Min = 2 + w.r.IntN(5)
	case k < 90:
		p.Min = 8
	default:
		p.Min = 32
	}
	if !p.Elastic {
		p.Max = p.Min
	}
	if p.Min == 1 {
		p.Reach = fleet.ReachAny
	}
	return p
}

// fill submits as many as run and wait together; what ends meanwhile is none.
func (w *whole) fill(ctx context.Context, o Options) error {
	n := w.share(o, wholeRunning+wholeWaiting)
	for k := range n {
		if k%1000 == 0 {
			o.say("%d of %d workloads submitted", k, n)
		}
		w.now = w.now.Add(100 * time.Millisecond)
		if err := w.come(ctx); err != nil {
			return err
		}
	}
	have := w.states()
	w.runs, w.waits = have[fleet.RunningW], have[fleet.Pending]
	o.say("filled: %d workloads run and %d wait", w.runs, w.waits)
	w.submits, w.mends, w.falls = nil, nil, nil
	w.clear()
	return nil
}

// come submits one more workload, which will run as long as about half a day.
func (w *whole) come(ctx context.Context) error {
	if err := w.play(ctx, w.now); err != nil {
		return err
	}
	_, l, err := w.stage.submit(ctx, w.spec(), time.Duration(w.r.ExpFloat64()*float64(wholeLasts)))
	w.submits = append(w.submits, l)
	return err
}

// day lets workloads come and end, and nodes fail and return.
func (w *whole) day(ctx context.Context, o Options) error {
	const day = 24 * time.Hour
	began := w.now
	every := wholeLasts / time.Duration(max(1, w.runs))
	fails := day / time.Duration(max(20, len(w.names)*4/1000))
	come, fail, hour := began, began, 0
	for w.now < began.Add(day) {
		next := min(come, fail)
		if len(w.back) > 0 {
			next = min(next, w.back[0].at)
		}
		if err := w.play(ctx, next); err != nil {
			return err
		}
		w.now = max(w.now, next)
		if h := int(w.now.Sub(began).Hours()); h > hour {
			hour = h
			o.say("hour %d of 24: %d decisions", hour, w.decided)
		}
		var err error
		switch {
		case len(w.back) > 0 && next == w.back[0].at:
			err = w.comeBack(ctx)
		case next == fail:
			fail = fail.Add(fails)
			err = w.fall(ctx)
		default:
			come = come.Add(every)
			err = w.come(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fall lets a node fail, for six hours.
func (w *whole) fall(ctx context.Context) error {
	node := w.names[w.r.IntN(len(w.names))]
	if w.out[node] {
		return nil
	}
	w.out[node] = true
	w.back = append(w.back, repair{w.now.Add(6 * time.Hour), node})
	gang := w.gangOn(node)
	rec, l, err := w.decide(ctx, core.Request{Command: core.SetNodes{Names: []string{node}, State: fleet.Quarantined, Signal: "bench"}, Actor: core.Reporter})
	w.falls = append(w.falls, l)
	if gang {
		w.broken++
	}
	if swapped(rec) {
		w.mended++
		w.mends = append(w.mends, l)
	}
	return err
}

// gangOn says whether a gang in quota runs on a node.
func (w *whole) gangOn(node string) (found bool) {
	w.Read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			k, ok := p.Node(node)
			if !ok {
				continue
			}
			for _, res := range p.Nodes[k].Residents() {
				found = found || res.Workload.Account() != nil && res.Workload.Pools[0].Min > 1 && res.Phase == fleet.Running
			}
		}
	})
	return found
}

func (w *whole) comeBack(ctx context.Context) error {
	node := w.back[0].node
	w.back = w.back[1:]
	delete(w.out, node)
	_, _, err := w.decide(ctx, core.Request{Command: core.SetNodes{Names: []string{node}, State: fleet.Healthy, Signal: "bench"}, Actor: core.Reporter})
	return err
}
