package past

// OlderSums is what notes of version 6 say of sums: there each bucket was an object by itself. All else of those notes
// is as it is now.
type OlderSums struct {
	Islands, Partitions, Quotas, Losses, Waited map[string]olderMeter
}

type olderMeter struct{ Series olderSeries }

type olderSeries struct{ Hours, Days, Months []olderBucket }

type olderBucket struct {
	From int64
	V    []int64
}

// TakeOver takes the sums of older notes into the same notes, which were read without them.
func (n *Notes) TakeOver(o OlderSums) {
	takeOver(n.Islands, o.Islands)
	takeOver(n.Partitions, o.Partitions)
	takeOver(n.Quotas, o.Quotas)
	takeOver(n.Losses, o.Losses)
	takeOver(n.Waited, o.Waited)
}

func takeOver(meters map[string]*Meter, from map[string]olderMeter) {
	for key, m := range meters { // each by itself: the order does not matter
		older := from[key].Series
		m.ByHour.fill(older.Hours)
		m.ByDay.fill(older.Days)
		m.ByMonth.fill(older.Months)
	}
}

func (g *Grain) fill(list []olderBucket) {
	for _, b := range list {
		copy(g.grow(b.From, len(b.V)), b.V)
	}
}
