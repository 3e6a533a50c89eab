package maintenance

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// moment is when a workload is to stop for a rollout: when its owner agreed, or at the latest moment that
// keeps the deadline of a bundle; Never: no moment is known.
func (l *look) moment(r *fleet.Rollout, b *Bundle, w *fleet.Workload) fleet.Instant {
	switch at, agreed := agreedOf(l.m, w); {
	case slices.Contains(r.Asked, w.ID):
		return fleet.Never // it stops once
	case agreed:
		return at
	case b.Deadline == 0:
		return fleet.Never
	}
	key := lastKey{r, w}
	at, known := l.last[key]
	if !known {
		at = l.latest(r, b, w)
		l.last[key] = at
	}
	return at
}

// agreedOf is the moment at which a workload's owner agreed that it stops.
func agreedOf(m *fleet.Maintained, w *fleet.Workload) (fleet.Instant, bool) {
	for _, a := range m.Agreed {
		if a.ID == w.ID {
			return a.At, true
		}
	}
	return 0, false
}

// latest is the latest moment at which a workload may stop, so that it has its grace and the visits that remain
// keep the deadline; never before people had their lead.
func (l *look) latest(r *fleet.Rollout, b *Bundle, w *fleet.Workload) fleet.Instant {
	announced := r.Added.Add(l.policy().Lead)
	takes, grace := l.remaining(r, b), min(w.Grace, l.s.Policy.MaxGrace)
	if at := l.beforeZones(b, w, takes).Add(-grace); at >= announced {
		return at
	}
	return max(announced, b.Deadline.Add(-takes-grace))
}

// startsFrom is the moment from which on in-quota work that starts on the nodes of a rollout may concern it at once: it
// might be asked to stop within the horizon. No such work has a moment sooner, whatever its grace is and whichever zones
// follow it. Where an owner agreed to a moment it is at once.
func (l *look) startsFrom(r *fleet.Rollout) fleet.Instant {
	first := fleet.Never
	if r.State != fleet.RolloutRunning || r.Joined != "" {
		return first
	}
	if len(l.m.Agreed) > 0 {
		return l.now
	}
	var seen *Bundle
	for _, x := range l.counted(r).pending {
		if x.b != seen && x.b.Deadline != 0 {
			first = min(first, l.soonest(r, x.b).Add(-l.policy().Horizon))
		}
		seen = x.b
	}
	return first
}

// soonest is a moment before which no work is asked to stop for a bundle.
func (l *look) soonest(r *fleet.Rollout, b *Bundle) fleet.Instant {
	at := l.beforeZones(b, nil, l.remaining(r, b)).Add(-l.s.Policy.MaxGrace)
	return max(at, r.Added.Add(l.policy().Lead))
}

// mostZones bounds how many zones the search for a moment before a deadline looks at.
const mostZones = 64

// beforeZones is the latest moment from which on so much time is left before the deadline, without a zone over
// the nodes of a workload meanwhile (nil: without any zone); 0: there is none.
func (l *look) beforeZones(b *Bundle, w *fleet.Workload, takes time.Duration) fleet.Instant {
	end := b.Deadline
	for range mostZones {
		from, found := l.zonesBegin(b, w, fleet.Span{From: end.Add(-takes), To: end})
		if !found {
			return end.Add(-takes)
		}
		end = from
	}
	return 0
}

// zonesBegin is the begin of the first zone that is over the nodes of a workload in a stretch of time.
func (l *look) zonesBegin(b *Bundle, w *fleet.Workload, span fleet.Span) (fleet.Instant, bool) {
	first := fleet.Never
	if len(l.m.Zones) == 0 {
		return first, false
	}
	for _, z := range l.m.Zones {
		if !z.Stops(b.Impact) || w != nil && !coversAny(z, w) {
			continue
		}
		if over, ok := z.Over(span); ok {
			first = min(first, over.From)
		}
	}
	return first, first != fleet.Never
}

// coversAny says whether a node of a workload is in a zone's scope now.
func coversAny(z *fleet.Zone, w *fleet.Workload) bool {
	return slices.ContainsFunc(nodesOf(w), func(node int) bool { return Covers(z, w.At(), w.At().Nodes[node]) })
}

// remaining is how long the visits that remain take, as many at once as the limits and the promise permit.
func (l *look) remaining(r *fleet.Rollout, b *Bundle) time.Duration {
	rounds, known := l.rest[r]
	if !known {
		rounds = l.rounds(r)
		l.rooms[r.Name] = l.roomsOf(r)
		l.rest[r] = rounds
	}
	return time.Duration(rounds) * (b.Lasts + l.policy().Validation)
}

// rounds is in how many goes the nodes that remain are visited.
func (l *look) rounds(r *fleet.Rollout) int { return l.roundsOf(r, l.counted(r).pending) }

// roundsOf is in how many goes some nodes of a rollout are visited.
func (l *look) roundsOf(r *fleet.Rollout, list []pending) int {
	islands, partitions := map[spot]int{}, map[*fleet.Partition]int{}
	rounds := 0
	for _, x := range list {
		in := spot{x.p, x.n.Island}
		islands[in]++
		partitions[x.p]++
		most := mostOut(r.Limits, x.p)
		spare, here := l.atOnce(in)
		rounds = max(rounds, ceil(islands[in], min(r.Limits.PerIsland, here)), ceil(partitions[x.p], min(most, spare)))
	}
	return rounds
}

// roomsOf is what the rounds of a rollout hang on besides its own nodes: as many nodes as its limits and the promise let
// be out in the places that it still has to visit.
func (l *look) roomsOf(r *fleet.Rollout) (rooms []fleet.Room) {
	seen := map[spot]bool{}
	for _, x := range l.counted(r).pending {
		if in := (spot{x.p, x.n.Island}); !seen[in] {
			seen[in] = true
			rooms = append(rooms, l.roomIn(r, in))
		}
	}
	return rooms
}

func (l *look) roomIn(r *fleet.Rollout, in spot) fleet.Room {
	all, here := l.atOnce(in)
	return fleet.Room{
		Partition: in.p.ID, Island: in.island, All: min(all, mostOut(r.Limits, in.p)), Here: min(here, r.Limits.PerIsland),
		Until: in.p.Islands[in.island].Came() + slack(here, r.Limits.PerIsland),
	}
}

// slack is how many fewer nodes of an island the promise may let out without a difference to a rollout.
func slack(here, perIsland int) int {
	if here <= 1 {
		return unboundedSlack // it is never less than one
	}
	return max(0, here-perIsland)
}

const unboundedSlack = 1 << 30

func ceil(n, by int) int { return (n + by - 1) / by }

// atOnce is how many nodes of a partition, and of an island of it, may be out at a time without breaking a
// promise. Those that maintenance has out now are back by then.
func (l *look) atOnce(in spot) (all, here int) {
	out, spare := in.p.Away(), l.spareOf(in)
	return max(1, spare[0]+out), max(1, spare[1]+out)
}

// spareOf is how many further nodes of a partition, and of an island of it, the promise lets out.
func (l *look) spareOf(in spot) [2]int {
	spare, known := l.spare[in]
	if !known {
		all, asked := l.spares[in.p]
		if !asked {
			all = promise.SpareOf(l.s, in.p, l.now)
			l.spares[in.p] = all
		}
		spare = [2]int{all, promise.SpareIn(l.s, in.p, in.island, l.now)}
		l.spare[in] = spare
	}
	return spare
}

// spareIn is how many further nodes of an island the promise lets out.
func (l *look) spareIn(in spot) int {
	spare := l.spareOf(in)
	return min(spare[0], spare[1])
}

// isShort keeps that a rollout is kept back until so many further nodes of an island are spare.
func (l *look) isShort(r *fleet.Rollout, in spot, need int) {
	short := fleet.Short{Partition: in.p.ID, Island: in.island, Need: need}
	if !slices.Contains(l.shorts[r.Name], short) {
		l.shorts[r.Name] = append(l.shorts[r.Name], short)
	}
}

// besides adds what keeps a visit back besides the work on its node, where the moment of that work has come. Nodes of
// one quota in one island are asked about once.
func (l *look) besides(r *fleet.Rollout, x pending, to *waits) {
	for _, s := range x.n.Residents() {
		if w := s.Workload; w.Flexes() || w.State != fleet.RunningW || l.moment(r, x.b, w) > l.now {
			return
		}
	}
	who := holder{spot{x.p, x.n.Island}, x.n.Owner()}
	why, known := l.held[who]
	if !known {
		why, _ = l.allowed(r, x)
		l.held[who] = why
	}
	if why.Code != "" {
		why.Node = x.n.Name
		to.add(why)
	}
}

// led says whether the surplus of elastic pools on a node has had its lead since the rollout was announced, or its
// owner's word: replicas in quota are taken no sooner.
func (l *look) led(r *fleet.Rollout, x pending) (Wait, bool) {
	if !disturbs(x.n, x.b) || x.n.State.InRepair() {
		return Wait{}, true
	}
	for _, s := range x.n.Residents() {
		w, from := s.Workload, r.Added.Add(l.policy().Lead)
		if w.Flexes() || s.Phase == fleet.Leaving {
			continue
		}
		if at, agreed := agreedOf(l.m, w); agreed {
			from = min(from, at)
		}
		if from > l.now {
			return Wait{Code: InUse, Until: from, Who: called(w)}, false
		}
	}
	return Wait{}, true
}

// begins is when the visit of a node begins whose in-quota work is to stop for it; Never: that is not known.
func (l *look) begins(r *fleet.Rollout, x pending) fleet.Instant {
	at := fleet.Instant(0)
	for _, s := range x.n.Residents() {
		w := s.Workload
		if w.Flexes() || s.Phase == fleet.Leaving || Surplus(w, s.Pool, x.n) {
			continue
		}
		if w.State != fleet.RunningW {
			return fleet.Never
		}
		at = max(at, l.moment(r, x.b, w))
	}
	if _, ok := l.proven(x); at == 0 || at == fleet.Never || !ok {
		return fleet.Never
	}
	at = max(at, x.b.NotBefore, l.now)
	length := max(x.b.Lasts+l.policy().Validation, 1)
	for _, people := range []bool{false, true} {
		if hit, ok := zoneOver(l.m, x.p, x.n, people, x.b.Impact, fleet.Span{From: at, To: at.Add(length)}); ok {
			at = max(at, hit.span.To)
		}
	}
	return at
}
