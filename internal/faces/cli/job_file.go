package cli

import (
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// readJobs reads a file with one workload or a list of them, in the words of a
// scenario's submit. home is the namespace of those that name none.
func readJobs(name string, data []byte, home string) ([]*musterv1.WorkloadSpec, error) {
	doc, top := yamlfile.Open(name, data)
	var specs []*musterv1.WorkloadSpec
	switch {
	case top.IsList():
		specs = yamlfile.Each(top, func(v yamlfile.Value) *musterv1.WorkloadSpec { return readJob(v, home) })
		if len(specs) == 0 {
			top.Fail("the list is empty; write at least one workload")
		}
	case top.Present():
		specs = append(specs, readJob(top, home))
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	if len(specs) == 0 {
		return nil, usage("%s: there is no workload in it; write name, target and pools", name)
	}
	return specs, nil
}

func readJob(v yamlfile.Value, home string) *musterv1.WorkloadSpec {
	f := v.Fields("name", "namespace", "target", "partition", "priority", "pools", "maxRuntime", "checkpointEvery", "grace", "bearsFreeze",
		"user", "groups", "runtime")
	for key, why := range map[string]string{
		"user":    "whose a workload is, the server knows from who submits it (--as, for operators)",
		"groups":  "whose a workload is, the server knows from who submits it (--as, for operators)",
		"runtime": "how long it really runs, only a scenario can know; maxRuntime says how long it may",
	} {
		if f.Has(key) {
			f.At(key).Fail("%s does not belong here: %s; take it out", key, why)
		}
	}
	s := &musterv1.WorkloadSpec{
		Name: f.Need("name").Name(), Namespace: home, Target: f.Need("target").Path(), Partition: f.At("partition").Partition(),
		MaxRuntime: lengthOf(f, "maxRuntime"), CheckpointEvery: lengthOf(f, "checkpointEvery"), Grace: lengthOf(f, "grace"), BearsFreeze: lengthOf(f, "bearsFreeze"),
	}
	if f.Has("namespace") {
		s.Namespace = f.At("namespace").Name()
	}
	if f.Has("priority") {
		s.Priority = f.At("priority").Word(priorities...)
	}
	s.Pools = readFilePools(f.Need("pools"))
	return s
}

func lengthOf(f yamlfile.Fields, key string) *durationpb.Duration {
	if !f.Has(key) {
		return nil
	}
	return durationpb.New(f.At(key).Duration())
}

func readFilePools(v yamlfile.Value) []*musterv1.Pool {
	if v.IsList() && len(v.List()) == 0 {
		v.Fail("pools is an empty list; a workload has at least one pool")
	}
	seen := map[string]bool{}
	return yamlfile.Each(v, func(e yamlfile.Value) *musterv1.Pool {
		p := readFilePool(e)
		if p.GetName() != "" && seen[p.GetName()] {
			e.Fail("two pools are named %.60q; name each once", p.GetName())
		}
		seen[p.GetName()] = true
		return p
	})
}

func readFilePool(v yamlfile.Value) *musterv1.Pool {
	f := v.Fields("name", "replicas", "min", "max", "gpus", "rank", "reach")
	p := &musterv1.Pool{
		Name: f.Need("name").Name(), Gpus: int32(f.Need("gpus").IntOr(1, 1, mostPerNode)),
		Rank: int32(f.At("rank").IntOr(0, 0, mostRank)),
	}
	switch key, _ := f.One("replicas", "min"); key {
	case "replicas":
		p.Replicas = int32(f.At("replicas").Int(1, mostReplicas))
		f.At("max").Fail("max belongs to an elastic pool; write replicas, or min and max")
	case "min":
		p.Min = int32(f.At("min").Int(1, mostReplicas))
		p.Max = int32(f.Need("max").IntOr(int(p.GetMin()), int(p.GetMin()), mostReplicas))
	}
	if f.Has("reach") {
		p.Reach = f.At("reach").Word(reaches...)
	}
	return p
}
