package past

import "github.com/muster-fleet/muster/internal/state/fleet"

// The figures of a partition's meter, in GPUs; after them counts.
const (
	Installed int = iota // without retired nodes: they are no longer there to be healthy
	Healthy
	Usable
	Promisable
	Assigned
	Backed
	Unbacked
	InQuota  // held or reserved by in-quota work
	Flex     // the pool's size
	FlexUsed // held or reserved by flex work
	Held     // by work that runs or leaves, on any node
	partitionFigures
)

// The counts of a partition's meter: promises issued, kept and broken.
const (
	Issued int = partitionFigures + iota
	Kept
	Broken
	partitionEnd
)

// The figures of a quota's meter in one partition, in GPUs, and its highest usage.
const (
	QuotaAssigned int = iota
	QuotaBacked
	QuotaUnbacked
	QuotaUsage
	quotaFigures
	QuotaPeak = quotaFigures
)

func (b *Book) partition(id string) *Meter {
	return meterOf(b.Partitions, id, func() *Meter { return newMeter(partitionFigures, partitionEnd-partitionFigures) })
}

func (b *Book) quota(partition, path string) *Meter {
	return meterOf(b.Quotas, partition+" "+path, func() *Meter { return newMeter(quotaFigures, 1).peak(QuotaPeak, QuotaUsage) })
}

// figures notes a partition's figures, and its quotas', as they stand now.
func (b *Book) figures(at int64, p *fleet.Partition) {
	m, t := b.partition(p.ID), p.Tally()
	assigned, backed, unbacked := 0, 0, 0
	for _, a := range p.Accounts {
		assigned += a.Grant
		backed += a.BackedGPUs()
		unbacked += a.Grant - a.BackedGPUs()
		b.account(at, p, a)
	}
	for figure, v := range [...]int{
		Installed: t.Installed - b.retired(p), Healthy: t.Healthy, Usable: t.Usable, Promisable: p.Promisable * p.GPUsPerNode,
		Assigned: assigned, Backed: backed, Unbacked: unbacked,
		InQuota: t.InQuota, Flex: p.Flex(), FlexUsed: t.FlexUsed,
	} {
		m.set(at, figure, int64(v))
	}
}

func (b *Book) retired(p *fleet.Partition) int {
	nodes := 0
	for _, i := range p.Islands {
		if m := b.Islands[p.ID+"/"+i.Name]; m != nil {
			nodes += int(m.Now[stateIndex(fleet.Retired)])
		}
	}
	return nodes * p.GPUsPerNode
}

func (b *Book) account(at int64, p *fleet.Partition, a *fleet.Account) {
	m := b.quota(p.ID, a.Quota)
	now := [...]int64{QuotaAssigned: int64(a.Grant), QuotaBacked: int64(a.BackedGPUs()), QuotaUnbacked: int64(a.Grant - a.BackedGPUs()), QuotaUsage: int64(a.Usage())}
	for figure, v := range now {
		m.set(at, figure, v)
	}
}
