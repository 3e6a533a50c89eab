package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Random makes a story from a seed: small fleets, in which everything happens that
// a story can tell.
func Random(seed uint64) *Story {
	r := &writer{Rand: rand.New(rand.NewPCG(seed, 17))}
	r.story = &Story{Title: fmt.Sprintf("random story %d", seed), Buffer: pick(r, "0", "0", "0", "0.1", "0.15", "0.25")}
	r.fleet()
	r.quotas()
	r.steps()
	r.planned(seed)
	return r.story
}

// writer writes one story.
type writer struct {
	*rand.Rand
	story *Story
	now   time.Duration
	jobs  []string
	stale map[string]bool
	nodes []string // all, by name
	down  []string // that are out of service, or suspect
}

func pick[T any](r *writer, of ...T) T { return of[r.IntN(len(of))] }

func (r *writer) chance(percent int) bool { return r.IntN(100) < percent }

func (r *writer) fleet() {
	r.stale = map[string]bool{}
	clusters := []string{"c"}
	if r.chance(25) {
		clusters = []string{"c", "d"}
	}
	per := pick(r, 8, 8, 8, 4, 2, 1)
	for _, name := range clusters {
		c := Cluster{Name: name, PerNode: per}
		for i := range 1 + r.IntN(3) {
			c.Islands = append(c.Islands, Island{Name: string(rune('a' + i)), Nodes: 1 + r.IntN(6), Racks: 1})
			if r.chance(15) {
				c.Islands[i].Nodes++
				c.Islands[i].Racks = 2
			}
			for n := range c.Islands[i].Nodes {
				r.nodes = append(r.nodes, fmt.Sprintf("%s-g-%s-%03d", name, c.Islands[i].Name, n+1))
			}
		}
		r.story.Clusters = append(r.story.Clusters, c)
	}
}

// quotas grants what the buffer leaves, in whole nodes mostly.
func (r *writer) quotas() {
	paths := []string{"t/x", "t/y"}
	for _, more := range []string{"t/z", "u/v", "u/w", "q"} {
		if r.chance(45) {
			paths = append(paths, more)
		}
	}
	if r.chance(10) {
		paths = nil // flex only
	}
	left := map[string]int{}
	for _, c := range r.story.Clusters {
		left[c.Name+"/g"] = r.sustainable(c)
	}
	for _, path := range paths {
		q := Granted{Path: path}
		for _, c := range r.story.Clusters {
			id := c.Name + "/g"
			if left[id] == 0 || !r.chance(80) {
				continue
			}
			nodes := 1 + r.IntN(left[id])
			left[id] -= nodes
			q.Grants = append(q.Grants, r.grant(c, nodes))
		}
		if len(q.Grants) > 0 {
			r.story.Quotas = append(r.story.Quotas, q)
		}
	}
}

func (r *writer) sustainable(c Cluster) int {
	nodes := 0
	for _, i := range c.Islands {
		nodes += i.Nodes
	}
	share := map[string]int{"0": 1000, "0.1": 900, "0.15": 850, "0.25": 750}[r.story.Buffer]
	return nodes * share / 1000
}

func (r *writer) grant(c Cluster, nodes int) Grant {
	g := Grant{Partition: c.Name + "/g", GPUs: nodes * c.PerNode}
	if r.chance(25) {
		g.Gang = (1 + r.IntN(min(nodes, slices.MaxFunc(c.Islands, func(a, b Island) int { return a.Nodes - b.Nodes }).Nodes))) * c.PerNode
	}
	return g
}

func (r *writer) steps() {
	for range 6 + r.IntN(36) {
		r.now += pick(r, 0, time.Second, time.Second, 20*time.Second, time.Minute, time.Minute, 5*time.Minute, 20*time.Minute, 40*time.Minute, 2*time.Hour, 9*time.Hour, 30*time.Hour)
		r.step()
	}
	for _, c := range r.story.Clusters {
		if r.stale[c.Name] {
			r.do("fresh", "%s", c.Name)
		}
	}
	r.now += 3 * 24 * time.Hour
	r.do("restart", "true")
}

func (r *writer) do(kind, format string, args ...any) {
	r.story.Steps = append(r.story.Steps, Step{At: r.now, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

func (r *writer) step() {
	switch n := r.IntN(100); {
	case n < 52 || len(r.jobs) == 0:
		r.submit()
	case n < 61:
		r.do("cancel", "%s", pick(r, r.jobs...))
	case n < 82:
		r.node()
	case n < 88 && len(r.story.Quotas) > 0:
		r.people()
	case n < 90:
		r.do("policy", "{buffer: {kind: fixed, share: %s}}", pick(r, "0", "0.1", "0.2", "0.3"))
	case n < 94:
		r.silence()
	case n < 96:
		r.do("restart", "true")
	default:
		r.submit()
	}
}

func (r *writer) silence() {
	c := pick(r, r.story.Clusters...).Name
	kind := "stale"
	if r.stale[c] {
		kind = "fresh"
	}
	r.stale[c] = !r.stale[c]
	r.do(kind, "%s", c)
}

func (r *writer) node() {
	if len(r.down) > 0 && r.chance(55) {
		i := r.IntN(len(r.down))
		name := r.down[i]
		r.down = slices.Delete(r.down, i, i+1)
		r.do("node", "{name: %s, state: %s}", name, pick(r, "healthy", "healthy", "healthy", "probation"))
		return
	}
	state := pick(r, "suspect", "suspect", "quarantined", "quarantined", "repairing", "degraded")
	if r.chance(50) && state != "degraded" {
		if r.chance(70) && len(r.jobs) > 0 {
			r.do("node", "{name: {of: %s, count: 1}, state: %s}", pick(r, r.jobs...), state)
			return
		}
	}
	name := pick(r, r.nodes...)
	if !slices.Contains(r.down, name) {
		r.down = append(r.down, name)
	}
	per := r.story.Clusters[0].PerNode
	if state == "degraded" && per > 1 {
		r.do("node", "{name: %s, state: degraded, dead: %d}", name, 1+r.IntN(per-1))
		return
	}
	if state == "degraded" {
		state = "quarantined"
	}
	r.do("node", "{name: %s, state: %s}", name, state)
	if state == "suspect" && r.chance(60) { // a short dip
		r.now += pick(r, time.Second, 2*time.Minute, 5*time.Minute)
		r.down = r.down[:len(r.down)-1]
		r.do("node", "{name: %s, state: healthy}", name)
	}
}

// people change a grant, transfer some, or hold some.
func (r *writer) people() {
	q := pick(r, r.story.Quotas...)
	g := pick(r, q.Grants...)
	per := r.story.Clusters[0].PerNode
	switch r.IntN(4) {
	case 0, 1:
		nodes := r.IntN(g.GPUs/per + 2)
		r.do("grant", "{quota: %s, partition: %s, gpus: %d, reason: people, overcommit: %v}", q.Path, g.Partition, nodes*per+r.odd(per), r.chance(30))
	case 2:
		to := pick(r, r.story.Quotas...)
		r.do("transfer", "{from: %s, to: %s, partition: %s, gpus: %d}", q.Path, to.Path, g.Partition, (1+r.IntN(g.GPUs/per))*per)
	default:
		r.do("hold", "{quota: %s, partition: %s, gpus: %d, until: 30d}", q.Path, g.Partition, per)
	}
}

func (r *writer) odd(per int) int {
	if r.chance(15) {
		return r.IntN(per)
	}
	return 0
}

func (r *writer) submit() {
	w := &Submit{
		Name: fmt.Sprintf("w%d", len(r.jobs)), Space: pick(r, "m", "n", "o"), Target: "flex",
		Priority: pick(r, "", "", "", "critical", "high", "low", "low"),
	}
	if len(r.story.Quotas) > 0 && r.chance(68) {
		q := pick(r, r.story.Quotas...)
		w.Target = q.Path
		if len(q.Grants) > 1 && r.chance(30) {
			w.Partition = pick(r, q.Grants...).Partition
		}
	} else if len(r.story.Clusters) > 1 && r.chance(50) {
		w.Partition = pick(r, r.story.Clusters...).Name + "/g"
	}
	if r.chance(35) {
		w.Runtime = pick(r, 10*time.Minute, time.Hour, 3*time.Hour, 20*time.Hour)
		if r.chance(60) {
			w.MaxRuntime = w.Runtime * time.Duration(pick(r, 1, 1, 2)) / time.Duration(pick(r, 1, 1, 2))
		}
	} else if r.chance(15) {
		w.MaxRuntime = pick(r, time.Hour, 6*time.Hour)
	}
	w.Grace = pick(r, 0, 0, 0, time.Second, 5*time.Minute, 15*time.Minute)
	if r.chance(15) {
		w.Checkpoint = 30 * time.Minute
	}
	w.Pools = r.pools()
	r.jobs = append(r.jobs, w.Name)
	r.story.Steps = append(r.story.Steps, Step{At: r.now, Submit: w})
}

func (r *writer) pools() []Pool {
	first := r.pool("w", 0)
	list := []Pool{first}
	if r.chance(25) {
		list = append(list, r.pool("g", pick(r, 1, 1, 1, 0)))
		if r.chance(20) {
			list = append(list, r.pool("h", pick(r, 1, 2)))
		}
	} else if r.chance(5) {
		list[0].Rank = 1
	}
	return list
}

func (r *writer) pool(name string, rank int) Pool {
	per := r.story.Clusters[0].PerNode
	p := Pool{Name: name, Rank: rank, Min: 1 + r.IntN(4), GPUs: per}
	if r.chance(30) {
		p.GPUs = 1 + r.IntN(per)
	}
	switch {
	case r.chance(30):
		p.Min = pick(r, 1, 1, 1, 2)
		if rank == 0 {
			p.Min = max(1, p.Min)
		}
		p.Max = p.Min + 1 + r.IntN(6)
	case r.chance(20):
		p.Reach = "any"
	case r.chance(8) && p.Min > 1:
		p.Reach = "rack"
	}
	return p
}
