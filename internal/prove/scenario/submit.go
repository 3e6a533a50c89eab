package scenario

import (
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostRank is the largest rank that the core takes.
const mostRank = 1000

func (p *parser) submit(v yamlfile.Value) Action {
	f := v.Fields("name", "namespace", "user", "groups", "target", "partition", "priority", "pools",
		"runtime", "maxRuntime", "checkpointEvery", "grace", "bearsFreeze")
	a := Submit{Runtime: f.At("runtime").Duration(), Ends: f.Has("runtime")}
	a.Spec = fleet.Spec{
		Name: f.Need("name").Name(), Namespace: f.Need("namespace").Name(),
		User: f.At("user").Text(), Groups: f.At("groups").Texts(),
		Target: f.Need("target").Path(), Partition: f.At("partition").Path(),
		Priority: priority(f.At("priority")), Pools: pools(f.Need("pools")),
		MaxRuntime: f.At("maxRuntime").Duration(), CheckpointEvery: f.At("checkpointEvery").Duration(),
		Grace: fleet.DefaultGrace, BearsFreeze: f.At("bearsFreeze").Duration(),
	}
	if f.Has("grace") {
		a.Spec.Grace = f.At("grace").Duration()
	}
	p.name(f.At("name"), a.Spec)
	return a
}

// name keeps a workload's name: expectations know it by that alone, so it may be
// used again in its own namespace (once it has ended, or to be refused), not in another.
func (p *parser) name(v yamlfile.Value, spec fleet.Spec) {
	if home, used := p.namespaces[spec.Name]; used && home != spec.Namespace {
		v.Fail("a workload %q is submitted above in namespace %q; a scenario uses a name in one namespace only",
			yamlfile.Clip(spec.Name), yamlfile.Clip(home))
		return
	}
	p.namespaces[spec.Name] = spec.Namespace
}

func priority(v yamlfile.Value) fleet.Priority {
	if !v.Present() {
		return fleet.Mid
	}
	p, _ := fleet.ParsePriority(v.Word("critical", "high", "mid", "low"))
	return p
}

func pools(v yamlfile.Value) []fleet.Pool {
	if v.IsList() && len(v.List()) == 0 {
		v.Fail("pools is an empty list; a workload has at least one pool")
	}
	seen := map[string]bool{}
	return yamlfile.Each(v, func(e yamlfile.Value) fleet.Pool {
		pool := readPool(e)
		if pool.Name != "" && seen[pool.Name] {
			e.Fail("two pools are named %q; name each once", yamlfile.Clip(pool.Name))
		}
		seen[pool.Name] = true
		return pool
	})
}

func readPool(v yamlfile.Value) fleet.Pool {
	f := v.Fields("name", "replicas", "min", "max", "gpus", "rank", "reach", "asks")
	pool := fleet.Pool{Name: f.Need("name").Name(), GPUs: gpus(f.Need("gpus")), Rank: f.At("rank").IntOr(0, 0, mostRank), Footprint: f.At("asks").Text()}
	if key, _ := f.One("replicas", "min"); key == "replicas" {
		pool.Min = f.At("replicas").Int(1, core.MaxReplicas)
		pool.Max = pool.Min
		f.At("max").Fail("max belongs to an elastic pool; write replicas, or min and max")
	} else if key == "min" {
		pool.Elastic = true
		pool.Min = f.At("min").Int(1, core.MaxReplicas)
		pool.Max = f.Need("max").IntOr(pool.Min, pool.Min, core.MaxReplicas)
	}
	pool.Reach = reach(f.At("reach"), pool)
	return pool
}

// reach is a pool's reach; a gang of several replicas stays in an island unless it says otherwise.
func reach(v yamlfile.Value, pool fleet.Pool) fleet.Reach {
	switch {
	case v.Present():
		return fleet.Reach(v.Word(string(fleet.ReachRack), string(fleet.ReachIsland), string(fleet.ReachAny)))
	case !pool.Elastic && pool.Min > 1:
		return fleet.ReachIsland
	}
	return fleet.ReachAny
}
