package past

import (
	"maps"
	"slices"
	"strings"
)

// Spread is a distribution of times.
type Spread struct {
	Mean, P50, P90 int64
}

// spreadOf sorts the times it is given.
func spreadOf(times []int64) Spread {
	if len(times) == 0 {
		return Spread{}
	}
	slices.Sort(times)
	sum := int64(0)
	for _, t := range times {
		sum += t
	}
	return Spread{sum / int64(len(times)), quantile(times, 50), quantile(times, 90)}
}

// quantile is the least of sorted times that percent of them do not exceed.
func quantile(times []int64, percent int) int64 {
	return times[(len(times)*percent+99)/100-1]
}

// Repair is how long failures of a scope, or of one cause, took until their nodes
// were healthy again.
type Repair struct {
	Scope, Cause string // "": all causes
	Repaired     int
	Open         int // nodes out at the end of the window, by this cause
	Total        Spread
	Stages       [Stages]Spread
	// Faded is how many repairs are so old that only their sums are kept: they are
	// in the means, and in no quantile.
	Faded int
}

// repairs gathers the times of a row.
type repairs struct {
	Repair
	total  []int64
	stages [Stages][]int64
	sums   [Stages]int64
}

// Repairs says how long repairs took that ended in the window: for each part of the scope
// over all causes, and where byCause is set, cause by cause below it.
func (b *Book) Repairs(scope string, by Level, byCause bool, w Window, now int64) []Repair {
	rows := map[string]*repairs{}
	each := func(e Episode, add func(*repairs)) {
		if !under(e.Partition+"/"+e.Island, scope) {
			return
		}
		part := by.Of(e.Partition + "/" + e.Island)
		for _, cause := range causes(e.Cause, byCause) {
			key := part + "\x00" + cause
			if rows[key] == nil {
				rows[key] = &repairs{Repair: Repair{Scope: part, Cause: cause}}
			}
			add(rows[key])
		}
	}
	for _, e := range b.ended(w.From, w.To) {
		if e.Repaired() {
			each(e, func(r *repairs) { r.add(e) })
		}
	}
	for _, n := range b.Nodes { // they are counted: the order does not matter
		if n.Open != nil && n.Open.From < w.To && n.so(now).Failure() {
			each(n.so(now), func(r *repairs) { r.Open++ })
		}
	}
	b.faded(scope, by, w, each)
	list := make([]Repair, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, rows[key].done())
	}
	return list
}

// faded adds what is kept as sums of months that begin in the window.
func (b *Book) faded(scope string, by Level, w Window, each func(Episode, func(*repairs))) {
	if by == ByIsland || strings.Count(scope, "/") > 1 {
		return // the sums know partitions only
	}
	for _, key := range slices.Sorted(maps.Keys(b.Faded)) {
		if f := b.Faded[key]; f.Month >= startOfMonth(w.From) && f.Month < w.To && f.Repaired > 0 {
			each(Episode{Partition: f.Partition, Cause: f.Cause}, func(r *repairs) {
				r.Faded += f.Repaired
				for i, d := range f.Stages {
					r.sums[i] += d
				}
			})
		}
	}
}

func causes(cause string, byCause bool) []string {
	if !byCause {
		return []string{""}
	}
	return []string{"", cause}
}

func (r *repairs) add(e Episode) {
	r.Repaired++
	r.total = append(r.total, e.To-e.From)
	for i, d := range e.Stages {
		r.stages[i] = append(r.stages[i], d)
		r.sums[i] += d
	}
}

// done makes a row of the times that were gathered.
func (r *repairs) done() Repair {
	r.Repaired += r.Faded
	r.Total = spreadOf(r.total)
	r.Total.Mean = 0 // the sum of the stages' means: these count faded repairs, too
	for i := range r.stages {
		r.Repair.Stages[i] = spreadOf(r.stages[i])
		r.Repair.Stages[i].Mean = mean(r.sums[i], r.Repaired)
		r.Total.Mean += r.Repair.Stages[i].Mean
	}
	return r.Repair
}

func mean(sum int64, n int) int64 {
	if n == 0 {
		return 0
	}
	return sum / int64(n)
}
