package explain

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// pool is a partition's flex as a namespace that waits there sees it, in GPUs.
type pool struct {
	shares     map[string]int // of each namespace
	own, share int            // what its namespace has, and may have
	free, flex int            // what no work uses, and all there is
}

// onFlex is what keeps flex work from starting, in the contract's order. Where
// something else keeps it already, nothing need be in the way here.
func (q *question) onFlex(kept bool) []Blocker {
	shares, ns := placement.Shares(q.p), q.w.Namespace
	f := pool{
		shares: shares, own: q.p.FlexOf(ns).Staying, share: shares[ns],
		free: q.p.Flex() - q.p.Tally().FlexUsed, flex: q.p.Flex(),
	}
	var list []Blocker
	if f.own > 0 && f.own >= f.share {
		list = append(list, q.atShare(f))
	}
	if b, ok := q.behindOnFlex(); ok {
		list = append(list, b)
	}
	if len(list) == 0 && !kept {
		if b, ok := q.tight(); ok {
			return []Blocker{b}
		}
		if b, ok := q.behindReturning(f); ok {
			return []Blocker{b}
		}
		if b, ok := q.wouldCostItsOwn(f); ok {
			return []Blocker{b}
		}
	}
	enough := f.free >= q.gpus
	// It is within its share, and so is every other namespace: no work may be evicted for it.
	noVictims := len(list) == 0 && f.own+q.gpus <= f.share && !q.anyAbove(shares)
	switch {
	case !enough && !noVictims, !enough && !q.fitsFree() && q.p.Tally().Room < q.gpus:
		return append(list, q.flexFull(f))
	case len(list) == 0 && !kept, enough && !q.fitsFree():
		f.free = max(f.free, min(q.p.Tally().Room, f.flex)) // what others are leaving was looked at, too
		return append(list, q.tried(q.inPieces(f)))
	}
	return list
}

func (q *question) figures(f pool) map[string]int {
	return map[string]int{"needs": q.gpus, "free": f.free, "flex": f.flex, "holds": f.own, "share": f.share}
}

func (q *question) atShare(f pool) Blocker {
	return block(reason.FlexShare, q.p, q.figures(f), nil,
		"%s already holds %s of flex, and its fair share is %s: it gets more only where room is free.", q.w.Namespace, text.Count(f.own, "GPU"), text.Group(f.share)).
		by(q.holders(q.p.FlexWorkOf(q.w.Namespace))).
		until(q.declaredEnd(q.p.FlexWork()))
}

func (q *question) behindOnFlex() (Blocker, bool) {
	ahead, barred := q.pl.FlexBarrier(q.it)
	if !barred || ahead.Workload == q.w {
		return Blocker{}, false
	}
	gpus := ahead.Workload.NeedsBase()
	return block(reason.Behind, q.p, map[string]int{"needs": q.gpus, "ahead": gpus}, nil,
		"%s is ahead of it: its namespace has less flex, and it holds a reservation for %s.", q.reader.name(q.p, ahead.Workload), text.Count(gpus, "GPU")).
		by(q.reader.named(q.p, []*fleet.Workload{ahead.Workload})).
		until(q.declaredEnd(q.p.FlexWork())), true
}

// behindReturning says that free room would take it, and that it is kept for work on its way back to the queue.
func (q *question) behindReturning(f pool) (Blocker, bool) {
	ahead, ok := q.pl.FlexReturning(q.it)
	if !ok {
		return Blocker{}, false
	}
	return block(reason.Behind, q.p, q.figures(f), nil,
		"%s is ahead of it: it is on its way back to the queue, and starts on this room as soon as it has left its own.", q.reader.name(q.p, ahead.Workload)).
		by(q.reader.named(q.p, []*fleet.Workload{ahead.Workload})), true
}

// wouldCostItsOwn says that free room would take it, and that its namespace would lose other work for it at once.
func (q *question) wouldCostItsOwn(f pool) (Blocker, bool) {
	ahead, ok := q.pl.FlexBeforeIt(q.it)
	if !ok || f.own+q.gpus <= f.share {
		return Blocker{}, false
	}
	return block(reason.Behind, q.p, q.figures(f), nil,
		"%s is ahead of it. With it %s would hold more than its fair share (%d), and other work of %s could be evicted for that one at once.",
		q.reader.name(q.p, ahead.Workload), q.w.Namespace, f.share, q.w.Namespace).
		by(q.reader.named(q.p, []*fleet.Workload{ahead.Workload})).
		until(q.declaredEnd(q.p.FlexWork())), true
}

func (q *question) inPieces(f pool) Blocker {
	others := q.inTheWay()
	return block(reason.Fragmented, q.p, q.figures(f), nil,
		"%s of flex are free and %s are its share, but not %s; in the way: %s.", text.Count(f.free, "GPU"), text.Group(f.share), q.flexPiece(), others).
		by(others).
		until(q.declaredEnd(q.p.FlexWork()))
}

func (q *question) flexPiece() string {
	if q.gang > 1 {
		return fmt.Sprintf("%s in one %s", text.Count(q.gang, "node"), q.reach())
	}
	if len(q.w.Pools) > 1 {
		return "room for all its pools together"
	}
	return fmt.Sprintf("%s on one node", text.Count(q.w.Pools[0].GPUs, "GPU"))
}

func (q *question) flexFull(f pool) Blocker {
	next := q.declaredEnd(q.p.FlexWork())
	why := "may evict nothing there now"
	switch at, ns := q.protectedUntil(f.shares); {
	case q.gpus > f.share:
		why = fmt.Sprintf("being larger than its fair share (%d), it starts only on free room", f.share)
	case f.own+q.gpus > f.share:
		why = fmt.Sprintf("with it %s would hold more than its fair share (%d), so it starts only on free room", q.w.Namespace, f.share)
	case at != 0:
		why = fmt.Sprintf("what %s holds above its share is protected for its minimum run time", ns)
		if next.At == 0 || at < next.At {
			next = Next{at, "the minimum run time of work of " + ns + " is over"}
		}
	}
	b := block(reason.FlexFull, q.p, q.figures(f), nil, "%s of %s of flex are free; it needs %s, and %s.", text.Group(f.free), text.Count(f.flex, "GPU"), text.Group(q.gpus), why).by(q.holders(q.p.FlexWork())).until(next)
	if q.gpus > f.flex {
		b.Text += fmt.Sprintf(" It needs more than all flex of %s.", q.p.ID)
	}
	return b
}

// protectedUntil is when the first work of a namespace above its share has run
// its minimum time, and what that namespace is called to the reader.
func (q *question) protectedUntil(shares map[string]int) (at fleet.Instant, namespace string) {
	for _, w := range q.p.FlexWork() {
		if w.Namespace == q.w.Namespace || w.Started == 0 || q.p.FlexOf(w.Namespace).Staying <= shares[w.Namespace] {
			continue
		}
		if end := w.Started.Add(q.s.Policy.FlexRun()); end > q.now && (at == 0 || end < at) {
			at, namespace = end, q.namespaceOf(w)
		}
	}
	return at, namespace
}

// namespaceOf is what the namespace of some work is called to the reader.
func (q *question) namespaceOf(w *fleet.Workload) string {
	if q.reader.may(q.p, name(w)) {
		return w.Namespace
	}
	return "another namespace"
}

// anyAbove says whether some other namespace holds more than its share.
func (q *question) anyAbove(shares map[string]int) bool {
	for _, ns := range q.p.Namespaces() {
		if ns != q.w.Namespace && q.p.FlexOf(ns).Staying > shares[ns] {
			return true
		}
	}
	return false
}
