package past

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// How long and how many runs on flex are remembered, and how few say nothing.
const (
	KeepRuns  = 28 * day
	mostRuns  = 4000 // of one partition
	fewRuns   = 20   // to say anything
	fewAtRisk = 5    // that must have lasted as long as one speaks of
)

// Run is one run of a workload on flex without a break.
type Run struct {
	End    int64
	GPUs   int   // of its lowest-rank pools at min
	Lasted int64 // in milliseconds
	Cut    bool  // it was evicted, or lost a node; else it ended by itself, or still runs
}

// Odds are how likely a run of so many GPUs on flex lasts at least so long.
type Odds struct {
	Lasts int64   // in milliseconds
	Odds  float64 // from 0 to 1
	Known bool    // whether enough runs lasted, or could have lasted, as long
}

// Outlook is what the past says of flex in one partition for work of some size.
type Outlook struct {
	Partition string
	GPUs      int
	Runs      int // that it rests on
	Of        int // the runs are of work of at least so many GPUs
	To        int // and of fewer than so many
	Odds      []Odds
	MeanFlex  int // GPUs of the pool since then
	MeanUsed  int
	Since     int64 // 28 days ago, or when the partition came into being; 0: it has none
}

// ran remembers a run on flex that is over.
func (b *Book) ran(at int64, w *fleet.Workload, j *Job, cut bool) {
	if j.Since == 0 || !j.Flex {
		return
	}
	b.Runs[j.Where] = append(b.Runs[j.Where], Run{at, w.NeedsBase(), at - int64(j.Since)/1e6, cut})
	runs := b.Runs[j.Where]
	n := max(0, len(runs)-mostRuns)
	for n < len(runs) && runs[n].End < at-KeepRuns {
		n++
	}
	if n > mostRuns/4 { // cut now and then: cutting copies all that is kept
		runs = slices.Clone(runs[n:])
	}
	b.Runs[j.Where] = runs
}

// Outlook says for work of so many GPUs in one partition how likely it runs on
// flex undisturbed for each of some lengths of time. It rests on the runs of work
// of about that size in the last 28 days: on the nearest sizes, by powers of two,
// that together have enough of them.
//
// The odds are the product-limit estimate (Kaplan and Meier, 1958): runs that
// ended by themselves, or still run, count for as long as they were there.
func (b *Book) Outlook(partition string, gpus int, lengths []int64, now int64) Outlook {
	o := Outlook{Partition: partition, GPUs: gpus}
	all := b.runsUntil(partition, now)
	runs := o.near(all)
	o.Runs = len(runs)
	for _, d := range lengths {
		o.Odds = append(o.Odds, survival(runs, d))
	}
	if m := b.Partitions[partition]; m != nil {
		v, begin, end := m.over(now-KeepRuns, now, now)
		if lived := b.lived(begin, end); lived > 0 {
			o.Since = max(begin, m.Born)
			o.MeanFlex, o.MeanUsed = int(v[Flex]/lived), int(v[FlexUsed]/lived)
		}
	}
	return o
}

// runsUntil is the runs of the last 28 days, those that go on included.
func (b *Book) runsUntil(partition string, now int64) []Run {
	var runs []Run
	for _, r := range b.Runs[partition] {
		if r.End >= now-KeepRuns && r.End <= now {
			runs = append(runs, r)
		}
	}
	for id, j := range b.Jobs { // they are sorted before they are used
		w := b.state.Workloads[id]
		if since := int64(j.Since) / 1e6; j.Flex && j.Since != 0 && j.Where == partition && since < now && w != nil {
			runs = append(runs, Run{now, w.NeedsBase(), now - since, false})
		}
	}
	return runs
}

// near chooses the runs of the sizes nearest to the one asked about.
func (o *Outlook) near(all []Run) []Run {
	class := bits.Len(uint(o.GPUs))
	for width := 0; width < 32; width++ {
		var runs []Run
		for _, r := range all {
			if c := bits.Len(uint(r.GPUs)); c >= class-width && c <= class+width {
				runs = append(runs, r)
			}
		}
		if len(runs) >= fewRuns || len(runs) == len(all) {
			o.sizes(runs)
			return runs
		}
	}
	return all
}

// sizes says of which sizes the runs are that it rests on.
func (o *Outlook) sizes(runs []Run) {
	for _, r := range runs {
		if o.Of == 0 || r.GPUs < o.Of {
			o.Of = r.GPUs
		}
		o.To = max(o.To, r.GPUs+1)
	}
}

// survival is the product-limit estimate at d.
func survival(runs []Run, d int64) Odds {
	o := Odds{Lasts: d, Odds: 1}
	if len(runs) < fewRuns {
		return o
	}
	slices.SortFunc(runs, func(x, y Run) int {
		// Of runs of one length, those cut come first: the others lasted as long.
		return cmp.Or(cmp.Compare(x.Lasted, y.Lasted), cmp.Compare(b2i(y.Cut), b2i(x.Cut)))
	})
	atRisk := len(runs)
	for _, r := range runs {
		if r.Lasted >= d {
			break
		}
		if r.Cut {
			o.Odds *= float64(atRisk-1) / float64(atRisk)
		}
		atRisk--
	}
	o.Known = atRisk >= fewAtRisk
	return o
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
