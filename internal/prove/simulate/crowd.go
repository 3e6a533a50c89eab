package simulate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Crowd is a made-up fleet with more work than it can hold, instead of files. The
// zero value is none.
type Crowd struct {
	Nodes int     // of 8 GPUs, in islands of at most 24
	Load  float64 // GPU time that the work asks for, of what the fleet has
	Days  int     // how long work arrives; the run ends with it
	// Rack is how many nodes share a switch, and fail with it; 0: none do.
	Rack int
	// Buffer is the policy in force; nil: the default one.
	Buffer *fleet.Buffer
}

// crowdStart is the first moment of a crowd.
var crowdStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// crowdTeams are the teams: those with a quota have a share of the nodes that can
// be promised, the others run on flex. Often is how much of the work is theirs.
var crowdTeams = []struct {
	name, quota string
	share, gang float64
	often       int
}{
	{"alpha", "research/alpha", 0.31, 0.15, 17},
	{"beta", "research/beta", 0.23, 0, 13},
	{"gamma", "research/gamma", 0.12, 0, 9},
	{"live", "product/live", 0.20, 0.12, 11},
	{"evals", "product/evals", 0.08, 0, 8},
	{"ash", "", 0, 0, 12},
	{"birch", "", 0, 0, 9},
	{"cedar", "", 0, 0, 7},
	{"elm", "", 0, 0, 6},
	{"fir", "", 0, 0, 5},
	{"oak", "", 0, 0, 3},
}

// input is the crowd of a seed.
func (c Crowd) input(seed uint64) Input {
	in := Input{From: crowdStart, Until: crowdStart.AddDate(0, 0, c.Days), Fleet: c.fleet(), Targets: map[string]string{}}
	for _, t := range crowdTeams {
		in.Targets[t.name] = cmp.Or(t.quota, fleet.Flex)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	span := in.Until.Sub(in.From)
	for asked := 0.0; asked < c.Load*float64(8*c.Nodes)*span.Hours(); {
		j, s := crowdJob(r, len(in.Jobs))
		j.Submit = in.From.Add(time.Duration(r.Int64N(int64(span)))).Truncate(time.Second)
		asked += float64(asks(s)) * j.Duration.Hours()
		in.Jobs, in.Specs = append(in.Jobs, j), append(in.Specs, s)
	}
	order := make([]int, len(in.Jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(in.Jobs[a].Submit.Compare(in.Jobs[b].Submit), cmp.Compare(a, b))
	})
	jobs, specs := in.Jobs, in.Specs
	in.Jobs, in.Specs = nil, nil
	for _, i := range order {
		in.Jobs, in.Specs = append(in.Jobs, jobs[i]), append(in.Specs, specs[i])
	}
	in.Faults = c.outages(r, span, crowdFaults(r, span))
	return in
}

// fleet is the crowd's nodes and quotas.
func (c Crowd) fleet() fleetfile.File {
	p := fleetfile.Partition{GPU: "h100", GPUsPerNode: 8, Buffer: c.Buffer}
	for left, i := c.Nodes, 0; left > 0; i++ {
		n := min(24, left)
		p.Islands = append(p.Islands, fleetfile.Island{Name: fmt.Sprintf("i%d", i+1), Nodes: n, Racks: c.racks(n)})
		left -= n
	}
	f := fleetfile.File{Name: "crowd", Clusters: []fleetfile.Cluster{{Name: "crowd", Partitions: []fleetfile.Partition{p}}}}
	promisable := float64(c.Nodes * 85 / 100)
	for _, t := range crowdTeams {
		if t.quota != "" {
			g := fleetfile.Grant{Partition: "crowd/h100", GPUs: 8 * int(t.share*promisable), Gang: 8 * int(t.gang*promisable)}
			f.Quotas = append(f.Quotas, fleetfile.Quota{Path: t.quota, Grants: []fleetfile.Grant{g}})
		}
	}
	return f
}

// asks is the GPUs that a workload takes on average, elastic pools half-way.
func asks(s fleet.Spec) int {
	t := 0
	for _, p := range s.Pools {
		t += (p.Min + p.Max) * p.GPUs
	}
	return t / 2
}

// crowdJob draws a job: how long it runs, and what it asks for.
func crowdJob(r *rand.Rand, n int) (trace.Job, fleet.Spec) {
	hours := min(36, max(0.1, 2*math.Exp(1.1*r.NormFloat64())))
	j := trace.Job{File: "crowd", Line: n + 1, ID: fmt.Sprintf("j%05d", n), Team: crowdTeam(r), Duration: time.Duration(hours*3600) * time.Second}
	s := fleet.Spec{
		Name: j.ID, Namespace: j.Team, Priority: []fleet.Priority{fleet.Critical, fleet.High, fleet.Mid, fleet.Mid, fleet.Mid, fleet.Low, fleet.Low}[r.IntN(7)],
		Grace: []time.Duration{fleet.DefaultGrace, fleet.DefaultGrace, 5 * time.Minute}[r.IntN(3)], Pools: crowdPools(r),
	}
	if r.IntN(2) == 0 {
		s.CheckpointEvery = 30 * time.Minute
	}
	if r.IntN(2) == 0 {
		s.MaxRuntime = time.Duration(float64(j.Duration) * (1 + 2*r.Float64()))
	}
	return j, s
}

func crowdTeam(r *rand.Rand) string {
	n := r.IntN(100)
	for _, t := range crowdTeams {
		if n -= t.often; n < 0 {
			return t.name
		}
	}
	panic("simulate: the teams' work is not 100 %")
}

// crowdPools is mostly jobs of one node or less, then gangs, elastic pools, and
// trainers with graders.
func crowdPools(r *rand.Rand) []fleet.Pool {
	switch n := r.IntN(100); {
	case n < 30:
		return []fleet.Pool{{Name: "w", GPUs: 1 + r.IntN(4), Min: 1, Max: 1, Reach: fleet.ReachAny}}
	case n < 55:
		return []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}}
	case n < 78:
		size := []int{2, 2, 3, 4, 4, 6, 8}[r.IntN(7)]
		return []fleet.Pool{{Name: "w", GPUs: 8, Min: size, Max: size, Reach: fleet.ReachIsland}}
	case n < 92:
		return []fleet.Pool{{Name: "w", GPUs: []int{1, 2, 8}[r.IntN(3)], Min: 1, Max: 2 + r.IntN(7), Elastic: true, Reach: fleet.ReachAny}}
	}
	size := 1 + r.IntN(3)
	return []fleet.Pool{
		{Name: "trainer", GPUs: 8, Min: size, Max: size, Reach: fleet.ReachIsland},
		{Name: "grader", GPUs: 1, Min: 2, Max: 2 + r.IntN(12), Elastic: true, Rank: 1, Reach: fleet.ReachAny},
	}
}

// crowdFaults lets each node fail once in twenty days, for six hours.
func crowdFaults(r *rand.Rand, span time.Duration) []trace.Fault {
	var faults []trace.Fault
	for s := range servers {
		if r.Float64() < span.Hours()/(20*24) {
			at := time.Duration(r.Int64N(int64(span))).Truncate(time.Second)
			faults = append(faults, trace.Fault{Server: fmt.Sprint("server ", s), Start: at, End: at + 6*time.Hour, Cause: "XID 79"})
		}
	}
	return faults
}
