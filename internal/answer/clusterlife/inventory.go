package clusterlife

import (
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// InventoryVersion is that of the inventory's form. A form gains fields, and loses none.
const InventoryVersion = 1

// Inventory is what projects need to know of the clusters that are built, and read for
// themselves: with it nothing is checked in (cluster-life.md §2.3).
type Inventory struct {
	Version  int                `json:"version"`
	Clusters []InventoryCluster `json:"clusters"` // in order of name
}

// InventoryCluster is one cluster of an inventory.
type InventoryCluster struct {
	Name             string            `json:"name"`
	Phase            string            `json:"phase"`
	Provider         string            `json:"provider"`
	Subscription     string            `json:"subscription"`
	Region           string            `json:"region"`
	SKU              string            `json:"sku,omitempty"`
	GPU              string            `json:"gpu"`
	GPUsPerNode      int               `json:"gpusPerNode"`
	Islands          []InventoryIsland `json:"islands"`
	Owner            string            `json:"owner,omitempty"`
	WantedBy         string            `json:"wantedBy,omitempty"` // RFC 3339
	Blueprint        string            `json:"blueprint"`
	BlueprintVersion int               `json:"blueprintVersion"`
	Generation       int               `json:"generation"`
	Variables        map[string]string `json:"variables,omitempty"` // without those that say where a secret is
}

// InventoryIsland is an island of a cluster.
type InventoryIsland struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
}

// InventoryOf lists the clusters that are not retired.
func InventoryOf(s *fleet.State, now fleet.Instant) Inventory {
	v := Inventory{Version: InventoryVersion, Clusters: []InventoryCluster{}}
	for _, c := range All(s, now) {
		if c.Verdict.Phase == buildout.Retired {
			continue
		}
		r := &c.Life.Record
		one := InventoryCluster{
			Name: r.Name, Phase: string(c.Verdict.Phase), Provider: r.Provider, Subscription: r.Subscription, Region: r.Region, SKU: r.SKU, GPU: r.GPU,
			GPUsPerNode: r.GPUsPerNode, Owner: r.Owner, Blueprint: r.Blueprint, BlueprintVersion: c.Life.Version, Generation: c.Life.Generation,
			Variables: plain(r.Variables),
		}
		if r.WantedBy != 0 {
			one.WantedBy = r.WantedBy.Time().Format(time.RFC3339)
		}
		for _, i := range r.Islands {
			one.Islands = append(one.Islands, InventoryIsland{i.Name, i.Nodes})
		}
		v.Clusters = append(v.Clusters, one)
	}
	return v
}

// plain is the variables that refer to no secret.
func plain(all map[string]string) map[string]string {
	some := map[string]string{}
	for name, value := range all {
		if scheme, _, found := strings.Cut(value, ":"); found && (scheme == "env" || scheme == "file" || scheme == "secret") {
			continue
		}
		some[name] = value
	}
	return some
}
