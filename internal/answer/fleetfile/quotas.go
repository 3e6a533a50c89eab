package fleetfile

import (
	"sort"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// readQuotas reads quotas; partitions maps what grants may name to GPUs per
// node, or is nil where that cannot be told here.
func readQuotas(v yamlfile.Value, partitions map[string]int) []Quota {
	once := newOnce("quota")
	return yamlfile.Each(v, func(e yamlfile.Value) Quota {
		q := readQuota(e, partitions)
		once.see(e, q.Path)
		return q
	})
}

func readQuota(v yamlfile.Value, partitions map[string]int) Quota {
	f := v.Fields("path", "grants", "access", "owner")
	q := Quota{Line: v.Line(), Path: f.Need("path").QuotaPath(), Access: readAccess(f.At("access")), Owner: maybe(f.At("owner"), yamlfile.Value.Text)}
	once := newOnce("a grant in partition")
	q.Grants = yamlfile.Each(f.At("grants"), func(e yamlfile.Value) Grant {
		g := readGrant(e, partitions)
		once.see(e, g.Partition)
		return g
	})
	return q
}

func readAccess(v yamlfile.Value) *fleet.Access {
	if !v.Present() {
		return nil
	}
	f := v.Fields("users", "groups", "namespaces")
	return &fleet.Access{
		Users:      f.At("users").Texts(),
		Groups:     f.At("groups").Texts(),
		Namespaces: f.At("namespaces").Texts(),
	}
}

func readGrant(v yamlfile.Value, partitions map[string]int) Grant {
	f := v.Fields("partition", "gpus", "gang")
	g := Grant{Line: v.Line(), Partition: f.Need("partition").Partition()}
	g.GPUs = f.Need("gpus").Int(0, mostGPUs)
	g.Gang = f.At("gang").Int(0, mostGPUs)
	if g.Gang > g.GPUs {
		f.At("gang").Fail("gang is %s, more than the grant of %s; a gang is at most the grant", text.Count(g.Gang, "GPU"), text.Group(g.GPUs))
	}
	if partitions != nil && g.Partition != "" {
		checkPartition(f, g, partitions)
	}
	return g
}

func checkPartition(f yamlfile.Fields, g Grant, partitions map[string]int) {
	perNode, known := partitions[g.Partition]
	if !known {
		f.At("partition").Fail("there is no partition %s; %s", yamlfile.Quote(g.Partition), yamlfile.Remedy(g.Partition, names(partitions)))
		return
	}
	if perNode == 0 {
		return // already told
	}
	wholeNodes(f.At("gang"), g.Gang, perNode)
}

// wholeNodes refuses GPUs that are not so many whole nodes.
func wholeNodes(v yamlfile.Value, gpus, perNode int) {
	if below := gpus - gpus%perNode; below != gpus {
		v.Fail("%s is %s, which is not in whole nodes of %s; write %s or %s", v.Label(), text.Count(gpus, "GPU"), text.Group(perNode), text.Group(below), text.Group(below+perNode))
	}
}

func names(partitions map[string]int) []string {
	var all []string
	for id := range partitions {
		all = append(all, id)
	}
	sort.Strings(all)
	return all
}
