package haircut

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// inOrder are the classes in the order in which waves take them.
var inOrder = []fleet.CutClass{fleet.CutRecords, fleet.CutUnscheduled, fleet.CutIdle, fleet.CutRest}

// wavesOf shares cuts out to waves: by class over all clusters, inside a class by
// cluster, the healthiest headroom first; ties in the order of clusters. Of what
// a quota gives up in a partition, each class is cut from what the one before left.
func wavesOf(s *fleet.State, parts []fleet.CutPart) []fleet.Wave {
	left := slices.Clone(parts)
	var all []fleet.Wave
	for _, class := range inOrder {
		var waves []fleet.Wave
		for _, c := range s.Clusters {
			if w := waveOf(c.Name, class, left); len(w.Parts) > 0 {
				w.Headroom = headroom(s, c.Name)
				waves = append(waves, w)
			}
		}
		slices.SortStableFunc(waves, func(a, b fleet.Wave) int { return cmp.Compare(b.Headroom, a.Headroom) })
		all = append(all, waves...)
	}
	return all
}

// waveOf takes one class of the parts of a cluster, and leaves the parts as they
// are after that.
func waveOf(cluster string, class fleet.CutClass, left []fleet.CutPart) fleet.Wave {
	w := fleet.Wave{Cluster: cluster, Class: class}
	for i := range left {
		if in, _, _ := strings.Cut(left[i].Partition, "/"); in != cluster {
			continue
		}
		if part := takeOf(&left[i], class); len(part.Cuts) > 0 {
			w.Parts = append(w.Parts, part)
		}
	}
	return w
}

// takeOf takes the cuts of one class out of a part. The causes of the excess stand
// with the first wave that cuts there.
func takeOf(left *fleet.CutPart, class fleet.CutClass) fleet.CutPart {
	taken, total := *left, 0
	taken.Cuts = nil
	var rest []fleet.Cut
	for _, c := range left.Cuts {
		one, after := split(c, class)
		if one.GPUs() > 0 {
			taken.Cuts = append(taken.Cuts, one)
			total += one.GPUs()
		}
		rest = append(rest, after)
	}
	if total == 0 {
		return taken
	}
	left.Cuts, left.Causes, left.Records = rest, nil, 0
	left.Assigned -= total
	left.Excess, left.Unallocated = max(0, left.Assigned-left.Sustainable), max(0, left.Sustainable-left.Assigned)
	taken.Left = left.Excess
	return taken
}

// split is the part of a cut that is of one class, and what is left of it then.
func split(c fleet.Cut, class fleet.CutClass) (one, left fleet.Cut) {
	one, left = c, c
	one.Fraction, one.Unscheduled, one.IdleCut, one.Rest = 0, 0, 0, 0
	gpus := 0
	switch class {
	case fleet.CutRecords:
		gpus, one.Fraction, left.Fraction = c.Fraction, c.Fraction, 0
	case fleet.CutUnscheduled:
		gpus, one.Unscheduled, left.Unscheduled = c.Unscheduled, c.Unscheduled, 0
	case fleet.CutIdle:
		gpus, one.IdleCut, left.IdleCut = c.IdleCut, c.IdleCut, 0
	case fleet.CutRest:
		gpus, one.Rest, left.Rest = c.Rest, c.Rest, 0
	case fleet.CutAll:
	}
	one.Now = c.Was - gpus
	one.GangNow = min(c.Gang, one.Now)
	left.Was, left.Gang = one.Now, one.GangNow
	if t := one.Ends(); t.GPUs > 0 {
		left.Temporary = &t
	} else {
		left.Temporary = nil
	}
	left.Overcommit = c.Overcommit && gpus == 0 // a cut grant is not overcommitted by anybody's word
	return one, left
}

// Parts lists what a plan cuts in all, each partition once, in the order in which
// its waves reach them: as it is before the first wave there, and after the last.
func Parts(h *fleet.Haircut) []fleet.CutPart {
	var parts []fleet.CutPart
	at := map[string]int{}
	for _, w := range h.Waves {
		for _, part := range w.Parts {
			i, known := at[part.Partition]
			if !known {
				at[part.Partition] = len(parts)
				parts = append(parts, part)
				continue
			}
			parts[i] = join(parts[i], part)
		}
	}
	return parts
}

// join is a partition over an earlier and a later wave.
func join(a, b fleet.CutPart) fleet.CutPart {
	a.Left, a.FlexAfter, a.FirmAfter = b.Left, b.FlexAfter, b.FirmAfter
	a.Cuts = slices.Clone(a.Cuts)
	for _, c := range b.Cuts {
		i := slices.IndexFunc(a.Cuts, func(x fleet.Cut) bool { return x.Quota == c.Quota })
		if i < 0 {
			a.Cuts = append(a.Cuts, c)
			continue
		}
		one := &a.Cuts[i]
		one.Now, one.GangNow = c.Now, c.GangNow
		one.Fraction, one.Unscheduled, one.IdleCut, one.Rest = one.Fraction+c.Fraction, one.Unscheduled+c.Unscheduled, one.IdleCut+c.IdleCut, one.Rest+c.Rest
	}
	slices.SortFunc(a.Cuts, func(x, y fleet.Cut) int { return cmp.Compare(x.Quota, y.Quota) })
	a.Unprotected, a.Evicted, a.Starts = merge(a.Unprotected, b.Unprotected), merge(a.Evicted, b.Evicted), merge(a.Starts, b.Starts)
	a.Requeued = merge(a.Requeued, b.Requeued)
	return a
}

// merge adds up two lists of touched work, each workload once.
func merge(a, b []fleet.Touched) []fleet.Touched {
	all := slices.Clone(a)
	for _, t := range b {
		if i := slices.IndexFunc(all, func(x fleet.Touched) bool { return x.Workload == t.Workload }); i >= 0 {
			all[i].GPUs += t.GPUs
		} else {
			all = append(all, t)
		}
	}
	return all
}
