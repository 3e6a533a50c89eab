package view

import (
	"math"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

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
	Quota     string         `json:"quota,omitempty"` // the tree of quotas whose nodes it follows; "": it covers a place
	Days      int            `json:"days"`            // of this quarter, begun ones counted whole, for which zones follow the nodes of this tree
	DaysLimit int            `json:"daysLimit"`       // how many of them its owners may set; 0: as many as they like

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
	if row.Quota = maintenance.QuotaOf(s, z); row.Quota != "" {
		row.Days = int(math.Ceil(maintenance.ZoneDays(s, row.Quota, maintenance.QuarterOf(now)).Hours() / 24))
		row.DaysLimit = s.Policy.Maintenance.ZoneDays
	}
	return row
}
