package demo

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// stream is the random numbers of one thing: what is drawn for it does not
// depend on what is drawn for others.
func stream(seed uint64, of ...string) *rand.Rand {
	h := fnv.New64a()
	for _, word := range of {
		_, _ = h.Write([]byte(word))
		_, _ = h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// work is the n-th workload of a team.
func (t team) work(seed uint64, n int) fleet.Spec {
	r := stream(seed, "work", t.namespace, fmt.Sprint(n))
	k := t.pick(r)
	s := fleet.Spec{
		Name: fmt.Sprintf("%s-%d", k.name, n), Namespace: t.namespace, User: t.user, Target: t.target,
		Priority: k.priority, Grace: fleet.DefaultGrace, CheckpointEvery: k.saves,
	}
	for _, one := range k.pools {
		s.Pools = append(s.Pools, one.pool(r))
	}
	if k.declares {
		s.MaxRuntime = longest
	}
	return s
}

func (t team) pick(r *rand.Rand) kind {
	all := 0
	for _, k := range t.kinds {
		all += k.weight
	}
	at := r.IntN(all)
	for _, k := range t.kinds {
		if at -= k.weight; at < 0 {
			return k
		}
	}
	panic("demo: a team without kinds")
}

func (s shape) pool(r *rand.Rand) fleet.Pool {
	p := fleet.Pool{Name: s.name, GPUs: s.gpus, Rank: s.rank, Elastic: s.elastic, Reach: fleet.ReachAny}
	if s.elastic {
		p.Min, p.Max = s.least, s.least+1+r.IntN(s.most-s.least)
		return p
	}
	p.Min = s.least + r.IntN(s.most-s.least+1)
	p.Max = p.Min
	if p.Min > 1 {
		p.Reach = fleet.ReachIsland
	}
	return p
}

// Run times lie between these. Visitors' workloads run for ten minutes.
const (
	shortest = time.Minute
	longest  = 20 * time.Minute
	visit    = 10 * time.Minute
)

// medians are the kinds' median run times, by their names.
var medians = func() map[string]time.Duration {
	m := map[string]time.Duration{}
	for _, t := range teams {
		for _, k := range t.kinds {
			m[k.name] = k.median
		}
	}
	return m
}()

// runtime is how long a workload runs: a function of its name and the seed. One
// that fails does so on its way.
func runtime(seed uint64, job driver.Job) time.Duration {
	median, ours := ownMedian(job)
	if !ours {
		return visit
	}
	r := stream(seed, "runtime", job.Namespace, job.Name)
	const spread = 0.6
	d := time.Duration(float64(median) * math.Exp(spread*r.NormFloat64()))
	d = min(longest, max(shortest, d))
	if fails(seed, job.Namespace, job.Name) {
		d = max(20*time.Second, time.Duration(float64(d)*r.Float64()))
	}
	return d.Truncate(time.Second)
}

func ownMedian(job driver.Job) (time.Duration, bool) {
	for _, t := range teams {
		if t.namespace == job.Namespace {
			kind, _, _ := strings.Cut(job.Name, "-")
			median, ok := medians[kind]
			return median, ok
		}
	}
	return 0, false
}

// fails says whether a workload ends by a failure of its own.
func fails(seed uint64, namespace, name string) bool {
	const share = 0.06
	return stream(seed, "fails", namespace, name).Float64() < share
}
