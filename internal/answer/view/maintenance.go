package view

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Rollout is where a rollout stands.
type Rollout struct {
	Rollout string               `json:"rollout"`
	Scope   string               `json:"scope"`
	Updates []string             `json:"updates"`
	State   fleet.RolloutState   `json:"state"`
	Stage   string               `json:"stage"`
	Of      int                  `json:"of"`
	Done    int                  `json:"done"`
	Failed  int                  `json:"failed"`
	Visits  int                  `json:"visits"` // open ones
	Waits   []string             `json:"waits"`  // codes
	Why     string               `json:"why,omitempty"`
	By      string               `json:"by"`
	Added   fleet.Instant        `json:"added"`
	Began   fleet.Instant        `json:"began"`
	Ended   fleet.Instant        `json:"ended"`
	Culprit []string             `json:"culprit,omitempty"`
	Reasons []maintenance.Wait   `json:"reasons"`
	Targets []maintenance.Target `json:"targets"`
}

// RolloutAt is where a rollout stands at a moment.
func RolloutAt(s *fleet.State, r *fleet.Rollout, now fleet.Instant) Rollout {
	o := maintenance.Of(s, r, now)
	row := Rollout{
		Rollout: r.Name, Scope: r.Scope, Updates: r.Updates, State: o.State, Stage: o.Stage, Of: o.Of, Done: o.Done, Failed: o.Failed,
		Visits: o.Visits, Waits: []string{}, Why: r.Why, By: r.By, Added: r.Added, Began: r.Began, Ended: r.Ended, Culprit: r.Culprit,
		Reasons: o.Waits, Targets: o.Targets,
	}
	if len(r.Nodes) > 0 {
		row.Scope = strings.Join(r.Nodes, ", ")
	}
	for _, w := range o.Waits {
		if !slices.Contains(row.Waits, string(w.Code)) {
			row.Waits = append(row.Waits, string(w.Code))
		}
	}
	return row
}

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
}

// UpdateOf is an update with how far it has come.
func UpdateOf(s *fleet.State, u *fleet.NodeUpdate) Update {
	row := Update{
		Update: u.Name, Component: u.Component.Name, Version: u.Component.Version, Claimed: u.Impact, Impact: u.Counted(),
		Verdict: verdictOf(s, u), Added: u.Record.Added, Deadline: u.Deadline, Withdrawn: u.Record.Withdrawn,
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

// lacks says whether a node is still to be brought to an update.
func lacks(p *fleet.Partition, n *fleet.Node, u *fleet.NodeUpdate) bool {
	return u.Record.Withdrawn == 0 && u.Fits(p.GPU) && n.State != fleet.Retired && n.Runs.Version(u.Component.Name) != u.Component.Version
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

// Zone is a zone's board: what it costs (maintenance §4).
type Zone struct {
	Zone      string         `json:"zone"`
	Scope     string         `json:"scope"`
	Active    bool           `json:"active"`
	From      fleet.Instant  `json:"from"` // of the occurrence that is in force or next
	To        fleet.Instant  `json:"to"`
	Blocks    []fleet.Impact `json:"blocks"`
	Blocked   int            `json:"blocked"`   // rollouts that it keeps from nodes now
	Behind    int            `json:"behind"`    // nodes under it that lack an update which it stops
	Oldest    fleet.Instant  `json:"oldest"`    // since when the oldest of these updates waits; 0: none does
	Untested  int            `json:"untested"`  // combinations that its nodes will have, and that no canary has proven
	Conflicts int            `json:"conflicts"` // deadlines and notices that fall inside
	Reason    string         `json:"reason"`
	Owner     string         `json:"owner"`
	Link      string         `json:"link"`
	By        string         `json:"by"`
	Recur     string         `json:"recur,omitempty"`
	Ended     fleet.Instant  `json:"ended"`

	BlockedNames  []string `json:"blockedNames"`
	ConflictNames []string `json:"conflictNames"`
}

// ZoneAt is a zone's board at a moment.
func ZoneAt(s *fleet.State, z *fleet.Zone, now fleet.Instant) Zone {
	row := Zone{
		Zone: z.Name, Scope: z.Scope, Active: z.Active(now), Blocks: z.Blocks, Reason: z.Reason, Owner: z.Owner, Link: z.Link,
		By: z.By, Recur: z.Recur, Ended: z.Ended, BlockedNames: []string{}, ConflictNames: []string{},
	}
	if z.Workload != "" {
		row.Scope = z.Namespace + "/" + z.Workload
	}
	for _, span := range z.Spans {
		if row.From, row.To = span.From, span.To; span.To > now {
			break
		}
	}
	b := maintenance.BoardOf(s, z, now)
	row.Blocked, row.BlockedNames, row.Untested = len(b.Blocked), append(row.BlockedNames, b.Blocked...), b.Untested
	row.ConflictNames = append(row.ConflictNames, b.Conflicts...)
	row.Conflicts, row.Behind, row.Oldest = len(b.Conflicts), b.Behind, b.Oldest
	return row
}

// Maintenance is an announced maintenance.
type Maintenance struct {
	Maintenance string        `json:"maintenance"`
	State       string        `json:"state"`
	BlockedBy   []string      `json:"blockedBy"`
	Nodes       []string      `json:"nodes"`
	Starts      fleet.Instant `json:"starts"`
	Ends        fleet.Instant `json:"ends"`
	Impact      fleet.Impact  `json:"impact"`
	Provider    bool          `json:"provider"`
	By          string        `json:"by"`
	Over        int           `json:"over"`      // nodes whose visit has ended
	Conflicts   []string      `json:"conflicts"` // zones that it falls into
}

// MaintenanceAt is an announced maintenance at a moment.
func MaintenanceAt(s *fleet.State, o *fleet.Notice, now fleet.Instant) Maintenance {
	row := Maintenance{
		Maintenance: o.Name, Nodes: o.Nodes, Starts: o.Starts, Ends: o.Starts.Add(o.Lasts), Impact: o.Impact, Provider: o.Provider, By: o.By,
		Over: len(o.Over), Conflicts: []string{}, BlockedBy: []string{},
	}
	state, by := maintenance.NoticeState(s, o, now)
	row.State, row.BlockedBy = state, append(row.BlockedBy, by...)
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

// Behind is a configuration of a partition's nodes.
type Behind struct {
	Partition string   `json:"partition"`
	Hash      string   `json:"configuration"`
	Runs      string   `json:"runs"`
	Nodes     int      `json:"nodes"`
	Lacks     []string `json:"lacks"` // updates that fit and that they do not run
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
		}
		slices.SortStableFunc(list[from:], func(a, b Behind) int { return len(b.Lacks) - len(a.Lacks) })
	}
	return list
}

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
		}
	}
	return append(list, row)
}
