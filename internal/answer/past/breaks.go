package past

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Break is a moment at which the whole healthy nodes fell below what was promised:
// what had been promised, and the nodes whose loss broke it.
type Break struct {
	At                int64  // milliseconds, as all moments and hours here
	Seq               uint64 // of the record that says so
	Partition, Island string // Island "": the promises were of the whole partition
	Horizon           int    // in hours
	Promises          int    // that it broke; one is made at each full hour
	First, Last       int64  // the hours in which they were made
	Promised, Whole   int    // nodes: the most that was promised, and what was whole then
	Lost              []Loss
}

// Loss is a node that was not healthy at a moment.
type Loss struct {
	Node, Island string
	State        fleet.NodeState // that it fell into; "": it was out before
	Cause        string
	Since        int64
}

// mostLost is how many nodes a break names: a switch takes hundreds along.
const mostLost = 64

// promised is what was promised in a partition before a record is applied: for the short and
// the long horizon, and for each island.
type promised struct {
	p           *fleet.Partition
	short, long fleet.Pledges
	islands     []fleet.Pledges
}

// promisedBefore is what is promised in the partitions where a record says that nodes fail. It
// is asked before the record is applied.
func (b *Book) promisedBefore(r event.Record) (list []promised) {
	for _, e := range r.Events {
		fails, ok := e.(event.NodeChanged)
		if !ok || fails.From != fleet.Healthy || fails.To == fleet.Healthy {
			continue
		}
		p := b.state.Partition(fails.Partition)
		if p == nil || slices.ContainsFunc(list, func(x promised) bool { return x.p == p }) {
			continue
		}
		is := promised{p: p}
		is.short, is.long, is.islands = p.Realised(r.At)
		list = append(list, is)
	}
	return list
}

// noteBreaks notes which of the promises a record has broken: those that stood before it and
// do not stand now, after it was applied.
func (b *Book) noteBreaks(at int64, r event.Record, list []promised) {
	for _, was := range list {
		p, whole := was.p, was.p.Tally().Healthy/was.p.GPUsPerNode
		b.noteBreak(at, r, Break{Partition: p.ID, Horizon: fleet.PromisableHours, Whole: whole}, was.short, p.Pledges)
		b.noteBreak(at, r, Break{Partition: p.ID, Horizon: fleet.SustainableHours, Whole: whole}, was.long, p.LongPledges)
		for i, is := range was.islands {
			island := p.Islands[i]
			b.noteBreak(at, r, Break{Partition: p.ID, Island: island.Name, Horizon: fleet.PromisableHours, Whole: island.Whole()}, is, island.Pledges)
		}
	}
}

// noteBreak compares the promises of one horizon in one place before a record (was) and after
// it (is). Those that are gone are one Break.
func (b *Book) noteBreak(at int64, r event.Record, br Break, was, is fleet.Pledges) {
	for _, o := range was.Open {
		if slices.ContainsFunc(is.Open, func(x fleet.Pledge) bool { return x.From == o.From }) {
			continue
		}
		if br.Promises == 0 {
			br.First = int64(o.From) * hour
		}
		br.Last = int64(o.From+fleet.Hour(o.Hours)-1) * hour
		br.Promises += o.Hours
		br.Promised = max(br.Promised, o.Nodes)
	}
	if br.Promises == 0 {
		return
	}
	br.At, br.Seq, br.Lost = at, r.Seq, b.lostNodes(at, r, br)
	b.Breaks = append(b.Breaks, br)
	b.forgetBreaks(at)
}

// lostNodes are the nodes that a record takes out of where a promise was made.
func (b *Book) lostNodes(at int64, r event.Record, br Break) (list []Loss) {
	for _, e := range r.Events {
		fails, ok := e.(event.NodeChanged)
		if !ok || fails.Partition != br.Partition || fails.From != fleet.Healthy || fails.To == fleet.Healthy || len(list) == mostLost {
			continue
		}
		n := b.Nodes[fails.Node]
		if n == nil || br.Island != "" && n.Island != br.Island {
			continue
		}
		list = append(list, Loss{Node: fails.Node, Island: n.Island, State: fails.To, Cause: fails.Signal, Since: at})
	}
	return list
}

// forgetBreaks lets go of what is as old as the oldest episode.
func (b *Book) forgetBreaks(now int64) {
	n := 0
	for n < len(b.Breaks) && b.Breaks[n].At < now-KeepEpisodes {
		n++
	}
	if n > 256 || n > 0 && n == len(b.Breaks) {
		b.Breaks = slices.Clone(b.Breaks[n:])
	}
}
