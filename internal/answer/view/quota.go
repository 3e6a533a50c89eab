package view

import "github.com/muster-fleet/muster/internal/state/fleet"

// The flags of a quota.
const (
	GangUnbacked  = "GangUnbacked"  // its declared gang fits in no island whole
	Overcommitted = "Overcommitted" // a person granted more than could be promised, knowingly
)

// Quota is what one quota has in one partition, in GPUs.
type Quota struct {
	Quota       string         `json:"quota"`
	Partition   string         `json:"partition"`
	Assigned    int            `json:"assigned"`
	Gang        int            `json:"gang"`
	Backed      int            `json:"backed"`
	Unbacked    int            `json:"unbacked"`
	Usage       int            `json:"usage"`
	Guaranteed  int            `json:"guaranteed"`  // held so, at most what is backed; with the next two, all that its workloads hold
	Borrowing   int            `json:"borrowing"`   // held so
	Unprotected int            `json:"unprotected"` // held so
	Scheduled   int            `json:"scheduled"`
	Unscheduled int            `json:"unscheduled"`
	Borrowed    int            `json:"borrowed"`
	Lent        int            `json:"lent"`
	Over        int            `json:"over"`
	Idle        int            `json:"idle"`               // held by work that has long done nothing
	Measured    int            `json:"measured,omitempty"` // held, and their utilisation was measured
	Islands     map[string]int `json:"islands"`            // GPUs backed
	Flags       []string       `json:"flags"`
	// Of a declared gang that is not backed: the island where least is missing, and how much.
	GangIsland  string `json:"gangIsland,omitempty"`
	GangMissing int    `json:"gangMissing,omitempty"`
	// LargestGang is the largest gang that the quota could start guaranteed now in one
	// island, were nothing ahead of it in the queue: UsableOf takes out what that reserves.
	// LargestPiece is the most of its backing that lies in one island.
	LargestGang  int  `json:"largestGang"`
	LargestPiece int  `json:"largestPiece"`
	Stale        bool `json:"stale"` // its cluster's reports have stopped
	// Temporary is the GPUs of the grant that end by themselves, and Ends says when.
	Temporary int             `json:"temporary,omitempty"`
	Ends      fleet.Temporary `json:"-"`
}

// Quotas lists what every quota has in every partition where it has anything, at
// the moment of the last record, in order of partition, then path.
func Quotas(s *fleet.State) []Quota { return EveryQuota(s, s.Time) }

// EveryQuota is Quotas at a moment.
func EveryQuota(s *fleet.State, now fleet.Instant) []Quota {
	var all []Quota
	for _, p := range s.Partitions {
		all = append(all, QuotasAt(p, now)...)
	}
	return all
}

// QuotasIn lists what quotas have in a partition at the moment of the last
// record, in order of path.
func QuotasIn(p *fleet.Partition) []Quota { return QuotasAt(p, p.State().Time) }

// QuotasAt lists what quotas have in a partition at a moment, in order of path.
func QuotasAt(p *fleet.Partition, now fleet.Instant) []Quota {
	rows := make([]Quota, len(p.Accounts))
	for i, a := range p.Accounts {
		rows[i] = quotaRow(p, a)
		rows[i].Idle, rows[i].Measured = a.Idle(now), a.Measured()
	}
	lend(rows)
	return rows
}

// QuotaAt is what a quota has in a partition at a moment; nothing, where it has no account there.
func QuotaAt(p *fleet.Partition, path string, now fleet.Instant) Quota {
	for _, q := range QuotasAt(p, now) {
		if q.Quota == path {
			return q
		}
	}
	return Quota{Quota: path, Partition: p.ID, Islands: map[string]int{}, Flags: []string{}, Stale: stale(p)}
}

// quotaRow is an account's row, without what it borrows and lends.
func quotaRow(p *fleet.Partition, a *fleet.Account) Quota {
	q := Quota{
		Quota: a.Quota, Partition: p.ID, Assigned: a.Grant, Gang: a.Gang, Backed: a.BackedGPUs(), Usage: a.Usage(),
		Islands: map[string]int{}, Flags: flags(a), Stale: stale(p), Temporary: a.Temporary.GPUs, Ends: a.Temporary,
	}
	q.Unbacked = q.Assigned - q.Backed
	q.Scheduled = min(q.Usage, q.Backed)
	q.Unscheduled = q.Backed - q.Scheduled
	if starts(p) {
		q.LargestGang = guaranteedGang(p, a, a.BackedGPUs()-a.Stays())
	}
	for i, nodes := range a.Backing {
		q.LargestPiece = max(q.LargestPiece, nodes*p.GPUsPerNode)
		if nodes > 0 {
			q.Islands[p.Islands[i].Name] = nodes * p.GPUsPerNode
		}
	}
	if a.GangMissing > 0 {
		q.GangIsland, q.GangMissing = p.IslandName(a.GangIsland), a.GangMissing
	}
	q.Guaranteed, q.Borrowing, q.Unprotected = a.GPUsAs(fleet.HoldsGuaranteed), a.GPUsAs(fleet.HoldsBorrowing), a.GPUsAs(fleet.HoldsUnprotected)
	return q
}

func flags(a *fleet.Account) []string {
	list := []string{}
	if a.GangMissing > 0 {
		list = append(list, GangUnbacked)
	}
	if a.Overcommit {
		list = append(list, Overcommitted)
	}
	return list
}

func stale(p *fleet.Partition) bool {
	c := p.State().Cluster(p.Cluster)
	return c != nil && c.Stale
}
