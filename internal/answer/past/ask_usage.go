package past

import (
	"maps"
	"slices"
)

// Usage is what a quota had in a partition over a window, in GPUs × time, and the
// highest usage at any moment of it in GPUs. Decisions read the highest use of the
// last 90 days, which the state keeps (fleet.Account.HighestUse); people ask for
// windows of their own choice, over years.
type Usage struct {
	Quota, Partition                  string
	Covered                           Window
	Assigned, Backed, Unbacked, Usage int64
	Peak                              int
}

// Usage lists the quotas under one, in order of partition and path; all for "".
func (b *Book) Usage(quota, scope string, w Window, now int64) []Usage {
	var list []Usage
	for _, key := range slices.Sorted(maps.Keys(b.Quotas)) {
		partition, path := cut(key)
		if !under(path, quota) || !under(partition, scope) {
			continue
		}
		v, begin, end := b.Quotas[key].over(w.From, w.To, now)
		list = append(list, Usage{
			Quota: path, Partition: partition, Covered: Window{begin, end},
			Assigned: v[QuotaAssigned], Backed: v[QuotaBacked], Unbacked: v[QuotaUnbacked], Usage: v[QuotaUsage], Peak: int(v[QuotaPeak]),
		})
	}
	return list
}
