package view

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Update is an update with how far it has come.
type Update struct {
	Update    string        `json:"update"`
	Component string        `json:"component"`
	Version   string        `json:"version"`
	Claimed   fleet.Impact  `json:"claimed"`
	Impact    fleet.Impact  `json:"impact"`  // as it counts now
	Pending   int           `json:"pending"` // nodes that it fits and that run another version
	Verdict   fleet.Verdict `json:"verdict"`
	Added     fleet.Instant `json:"added"`
	Deadline  fleet.Instant `json:"deadline"`
	Withdrawn fleet.Instant `json:"withdrawn"`

	Lasts    time.Duration  `json:"lasts"`              // how long a visit is planned with: as measured, the longest of the GPU models, or as it says
	Measured []fleet.Length `json:"measured,omitempty"` // how long its visits took, by GPU model, where there were enough
}

// UpdateOf is an update with how far it has come.
func UpdateOf(s *fleet.State, u *fleet.NodeUpdate) Update {
	row := Update{
		Update: u.Name, Component: u.Component.Name, Version: u.Component.Version, Claimed: u.Impact, Impact: u.Counted(),
		Verdict: verdictOf(s, u), Added: u.Record.Added, Deadline: u.Deadline, Withdrawn: u.Record.Withdrawn,
	}
	for _, l := range s.Kept().Measured.Lengths {
		if l.Component == u.Component.Name && u.Fits(l.GPU) && l.Enough() {
			row.Measured = append(row.Measured, l)
			row.Lasts = max(row.Lasts, l.P90)
		}
	}
	if len(row.Measured) == 0 {
		row.Lasts = u.Lasts
	}
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			if lacks(p, n, u) {
				row.Pending++
			}
		}
	}
	return row
}

// verdictOf is the best that is known of a configuration with the update: that some are proven, else
// that one failed.
func verdictOf(s *fleet.State, u *fleet.NodeUpdate) fleet.Verdict {
	best := fleet.Untested
	for _, p := range s.Kept().Proofs {
		switch {
		case p.Runs.Version(u.Component.Name) != u.Component.Version:
		case p.Verdict == fleet.Proven:
			return fleet.Proven
		default:
			best = p.Verdict
		}
	}
	return best
}

// Behind is a configuration of a partition's nodes.
type Behind struct {
	Partition string   `json:"partition"`
	Hash      string   `json:"configuration"`
	Runs      string   `json:"runs"`
	Nodes     int      `json:"nodes"`
	Lacks     []string `json:"lacks"` // updates that fit and that they do not run

	Since fleet.Instant `json:"since,omitempty"` // since when the oldest of these is known; 0: they lack nothing
	// UntestedByProvider counts the nodes that the provider brought to this configuration, while no canary has proven it.
	UntestedByProvider int `json:"untestedByProvider,omitempty"`
}

// Drift lists the configurations of every partition, those that lack most first.
func Drift(s *fleet.State) []Behind {
	list := []Behind{}
	for _, p := range s.Partitions {
		from := len(list)
		for _, n := range p.Nodes {
			if n.State == fleet.Retired {
				continue
			}
			list = counted(s, p, n, list, from)
			if maintenance.UntestedByProvider(s, p, n) {
				flag(list[from:], n.Runs.String())
			}
		}
		slices.SortStableFunc(list[from:], func(a, b Behind) int { return len(b.Lacks) - len(a.Lacks) })
	}
	return list
}

// flag counts a node among those that the provider brought to an untested configuration.
func flag(list []Behind, runs string) {
	at := slices.IndexFunc(list, func(b Behind) bool { return b.Runs == runs })
	list[at].UntestedByProvider++
}

// counted counts a node among those of a list, from an index on, that run the same.
func counted(s *fleet.State, p *fleet.Partition, n *fleet.Node, list []Behind, from int) []Behind {
	runs := n.Runs.String()
	for i := range list[from:] {
		if list[from+i].Runs == runs {
			list[from+i].Nodes++
			return list
		}
	}
	row := Behind{Partition: p.ID, Hash: n.Runs.Hash(), Runs: runs, Nodes: 1, Lacks: []string{}}
	for _, u := range s.Kept().Updates {
		if lacks(p, n, u) {
			row.Lacks = append(row.Lacks, u.Name)
			if row.Since == 0 || u.Record.Added < row.Since {
				row.Since = u.Record.Added
			}
		}
	}
	return append(list, row)
}

// lacks says whether a node is still to be brought to an update.
func lacks(p *fleet.Partition, n *fleet.Node, u *fleet.NodeUpdate) bool {
	return u.Record.Withdrawn == 0 && u.Fits(p.GPU) && n.State != fleet.Retired && n.Runs.Version(u.Component.Name) != u.Component.Version
}
