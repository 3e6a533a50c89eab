package view

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Maintenance is an announced maintenance.
type Maintenance struct {
	Maintenance string   `json:"maintenance"`
	State       string   `json:"state"`
	BlockedBy   []string `json:"blockedBy"`

	Waits     []maintenance.Wait `json:"-"` // the same with the work and quotas behind it
	Nodes     []string           `json:"nodes"`
	Starts    fleet.Instant      `json:"starts"`
	Ends      fleet.Instant      `json:"ends"`
	Impact    fleet.Impact       `json:"impact"`
	Provider  bool               `json:"provider"`
	By        string             `json:"by"`
	Over      int                `json:"over"`      // nodes whose visit has ended
	Conflicts []string           `json:"conflicts"` // zones that it falls into
}

// MaintenanceAt is an announced maintenance at a moment.
func MaintenanceAt(s *fleet.State, o *fleet.Notice, now fleet.Instant) Maintenance {
	row := Maintenance{
		Maintenance: o.Name, Nodes: o.Nodes, Starts: o.Starts, Ends: o.Starts.Add(o.Lasts), Impact: o.Impact, Provider: o.Provider, By: o.By,
		Over: len(o.Over), Conflicts: []string{}, BlockedBy: []string{},
	}
	state, by := maintenance.NoticeState(s, o, now)
	row.State, row.Waits = state, by
	for _, w := range by {
		if !slices.Contains(row.BlockedBy, w.By()) {
			row.BlockedBy = append(row.BlockedBy, w.By())
		}
	}
	for _, z := range s.Kept().Zones {
		if slices.Contains(maintenance.BoardOf(s, z, now).Conflicts, o.Name) {
			row.Conflicts = append(row.Conflicts, z.Name)
		}
	}
	return row
}

// InMaintenance is the nodes of a partition that are under maintenance now.
func InMaintenance(p *fleet.Partition) int {
	t := 0
	for _, n := range p.Nodes {
		if n.State == fleet.Maintenance {
			t++
		}
	}
	return t
}
