package placement_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestTwinsAgree fills small fleets at random, and asks after every command about
// each unit that waits: the fast paths answer as their slow twins do, and each of them
// answers often enough to be judged.
func TestTwinsAgree(t *testing.T) {
	hits, unchosen, refused := placement.Hits{}, 0, 0
	for seed := range uint64(16) {
		f := crowdedFleet(t, seed)
		f.fine, f.wide = seed%3 == 0, seed%4 == 1
		for range 160 {
			f.submit(t)
			hits.Add(f.agree(t, seed))
			hits.WholeNodes += f.wholeNodes(t, seed)
			more, short := f.whether(t, seed)
			unchosen, refused = unchosen+more, refused+short
		}
	}
	t.Logf("%+v, %d sets of victims that need not be chosen, %d borrowers refused by count", hits, unchosen, refused)
	if unchosen < 200 || refused < 200 {
		t.Errorf("only %d units could start at the cost of work that need not be chosen, %d borrowers were refused by count", unchosen, refused)
	}
	if hits.GivenBackAt < 1000 || hits.KnownNeeded < 200 || hits.JudgedAtOnce < 1000 || hits.Refused < 1000 || hits.LeftOut < 1000 || hits.SparedThere < 1000 || hits.SetsPassed < 1000 || hits.KeptFlex < 1000 || hits.Shortened < 1000 || hits.WholeNodes < 200 {
		t.Errorf("%+v: some fast path hardly ran", hits)
	}
}

// crowded is a fleet of two trees of three quotas in which everybody asks for more than there is.
type crowded struct {
	s   *fleet.State
	rng *rand.Rand
	at  fleet.Instant
	n   int
	// fine: flex work is jobs of one GPU, of which a gang must evict many.
	fine bool
	// wide: most work is flex, of many namespaces, so that what one has stays as it is for a while.
	wide bool
}

func (f *crowded) namespace() string { return fmt.Sprintf("ns%d", f.rng.IntN(4+12*oneIf(f.wide))) }

func oneIf(so bool) int {
	if so {
		return 1
	}
	return 0
}

func crowdedFleet(t *testing.T, seed uint64) *crowded {
	f := &crowded{s: fleet.NewState(), rng: rand.New(rand.NewPCG(seed, 5)), at: fleet.Instant(time.Hour)}
	f.do(t, core.AddCluster{Name: "c"})
	f.do(t, core.AddPartition{Cluster: "c", GPU: "g"})
	f.do(t, core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i", Nodes: 10}, {Name: "j", Nodes: 8}, {Name: "k", Nodes: 4}}})
	for q := range 6 {
		path := fmt.Sprintf("t%d/q%d", q/3, q)
		f.do(t, core.CreateQuota{Path: path})
		f.do(t, core.SetGrant{Quota: path, Partition: "c/g", GPUs: 16 + 8*(q%2)})
	}
	return f
}

func (f *crowded) do(t *testing.T, c core.Command) {
	t.Helper()
	f.at = f.at.Add(time.Minute)
	if _, refusal := core.Step(f.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, f.at); refusal != nil {
		t.Fatal(refusal)
	}
}

// submit submits a workload of some shape; now and then one ends first, or all
// that is on its way out has gone.
func (f *crowded) submit(t *testing.T) {
	t.Helper()
	p := f.s.Partition("c/g")
	if f.rng.IntN(3) == 0 {
		for _, w := range slices.Clone(p.Leaving()) {
			f.do(t, core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
		}
	}
	if work := p.Account("t0/q0").Work(); len(work) > 0 && f.rng.IntN(5) == 0 {
		f.do(t, core.ReportFinished{ID: work[f.rng.IntN(len(work))].ID})
	}
	target, pools := fleet.Flex, f.pools()
	if q := f.rng.IntN(9 + 27*oneIf(f.wide)); q < 6 {
		target = fmt.Sprintf("t%d/q%d", q/3, q)
	} else if f.fine {
		for range 40 {
			f.single(t)
		}
	}
	f.n++
	f.do(t, core.Submit{Spec: fleet.Spec{
		Name: fmt.Sprintf("w%d", f.n), Namespace: f.namespace(), User: "u", Target: target,
		Priority: fleet.Priority(f.rng.IntN(4)), Grace: time.Minute, Pools: pools,
	}})
}

// single submits a job of one GPU to flex.
func (f *crowded) single(t *testing.T) {
	t.Helper()
	f.n++
	f.do(t, core.Submit{Spec: fleet.Spec{
		Name: fmt.Sprintf("w%d", f.n), Namespace: f.namespace(), User: "u", Target: fleet.Flex,
		Priority: fleet.Mid, Grace: time.Minute, Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}})
}

func (f *crowded) pools() []fleet.Pool {
	gpus := []int{1, 1, 1, 2, 4, 8}[f.rng.IntN(6)]
	switch f.rng.IntN(5) {
	case 0:
		return []fleet.Pool{{Name: "w", GPUs: 8, Min: 4, Max: 4, Reach: fleet.ReachIsland}}
	case 1:
		return []fleet.Pool{{Name: "w", GPUs: gpus, Min: 1, Max: 6 + 6*oneIf(f.wide), Elastic: true, Reach: fleet.ReachAny}}
	case 2:
		return []fleet.Pool{
			{Name: "a", GPUs: 4, Min: 2, Max: 2, Reach: fleet.ReachIsland},
			{Name: "b", GPUs: 1, Min: 1, Max: 3, Elastic: true, Rank: f.rng.IntN(2), Reach: fleet.ReachAny},
		}
	}
	n := 1 + f.rng.IntN(5)
	reach := fleet.ReachAny
	if f.wide {
		reach = fleet.ReachIsland
	}
	return []fleet.Pool{{Name: "w", GPUs: gpus, Min: n, Max: n, Reach: reach}}
}

// wholeNodes asks about whole nodes for each quota.
func (f *crowded) wholeNodes(t *testing.T, seed uint64) (hits int) {
	t.Helper()
	p := f.s.Partition("c/g")
	for q := range 6 {
		found, wrong := placement.New(f.s, p, f.at).WholeNodes(p.Account(fmt.Sprintf("t%d/q%d", q/3, q)), 1+f.rng.IntN(3))
		if hits += found; wrong {
			t.Fatalf("seed %d, for w%d: whole nodes that are found by name are not those that are rated best", seed, f.n)
		}
	}
	return hits
}

// whether asks about each unit that waits for a quota whether it could start inside its backing, and whether counts refuse it to borrow.
func (f *crowded) whether(t *testing.T, seed uint64) (unchosen, refused int) {
	t.Helper()
	p := f.s.Partition("c/g")
	for _, tree := range p.Trees() {
		for _, a := range tree.Waits() {
			for _, it := range a.Firsts() {
				some, wrong := placement.New(f.s, p, f.at).CouldReturn(*it)
				if unchosen += oneIf(some); wrong {
					t.Fatalf("seed %d, %s (for w%d): whether it could start is not what its plan says", seed, it.Workload.Name, f.n)
				}
				short, wrong := placement.New(f.s, p, f.at).LacksCount(*it)
				if refused += oneIf(short); wrong {
					t.Fatalf("seed %d, %s (for w%d): counts refuse what may borrow", seed, it.Workload.Name, f.n)
				}
			}
		}
	}
	return unchosen, refused
}

// agree asks about each unit that waits.
func (f *crowded) agree(t *testing.T, seed uint64) (hits placement.Hits) {
	t.Helper()
	p := f.s.Partition("c/g")
	ask := func(it *fleet.Waiting) {
		more, differs := placement.New(f.s, p, f.at).TwinsAgree(*it, func() bool { return f.rng.IntN(4) > 0 })
		if hits.Add(more); differs != "" {
			t.Fatalf("seed %d, %s (for w%d): %s", seed, it.Workload.Name, f.n, differs)
		}
	}
	for _, tree := range p.Trees() {
		met := placement.WalkTree(tree)
		var firsts []*fleet.Waiting
		for _, a := range tree.Waits() {
			firsts = append(firsts, a.Firsts()...)
		}
		slices.SortStableFunc(firsts, func(x, y *fleet.Waiting) int { return x.Key.Compare(y.Key) })
		if !slices.Equal(met, firsts) {
			t.Fatalf("seed %d: the walk along %s meets %d in another order than that of their keys", seed, tree.Name(), len(met))
		}
		for _, it := range firsts {
			ask(it)
		}
	}
	for _, ns := range p.WaitingForFlex() {
		for _, it := range p.FlexOf(ns).Firsts() {
			ask(it)
		}
	}
	return hits
}
