package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file keeps the candidates of each namespace's flex work from one decision to the next. Of
// dozens of namespaces with a hundred units each, a decision changes one or two.

// flexCandidates are the candidates of a namespace, and what they were derived from.
type flexCandidates struct {
	at     flexSeen
	now    fleet.Instant      // when what they lose was counted
	units  []*candidateVictim // in the order of the namespace's units
	sorted []*candidateVictim // cheapest first
}

// flexSeen is what the candidates of a namespace are derived from, the moment aside.
type flexSeen struct {
	version uint64 // of its flex work
	staying int    // its GPUs that stay on usable nodes
	// Where work stands on nodes that are not usable, what counts as use hangs on which these are: it is
	// asked anew in each turn.
	turn, stamp uint64
}

func (pl *Planner) flexSeenOf(namespace string) flexSeen {
	seen := flexSeen{version: pl.p.FlexVersionOf(namespace) + 1, staying: pl.p.FlexOf(namespace).Staying}
	if pl.p.Tally().Stranded > 0 {
		seen.turn, seen.stamp = pl.turns, pl.flexStamp()
	}
	return seen
}

// flexCandidates lists the units of a namespace's flex work as candidates, cheapest first. The list is kept until something
// of it changes: read it, do not change it.
func (pl *Planner) flexCandidates(namespace string) []*candidateVictim {
	kept := pl.candidatesOf[namespace]
	if kept == nil {
		kept = &flexCandidates{}
		pl.candidatesOf[namespace] = kept
	}
	at := pl.flexSeenOf(namespace)
	switch {
	case kept.at != at:
		*kept = flexCandidates{at: at, units: pl.newFlexCandidates(namespace)}
	case kept.now == pl.now:
		return kept.sorted
	default:
		for _, v := range kept.units {
			v.loses(pl.now)
		}
	}
	kept.now, kept.sorted = pl.now, byCost(append(kept.sorted[:0], kept.units...))
	return kept.sorted
}

func (pl *Planner) newFlexCandidates(namespace string) []*candidateVictim {
	units := pl.flexUnitsOf(namespace)
	list := make([]*candidateVictim, 0, len(units))
	for _, u := range units {
		list = append(list, pl.candidate(*u, ClassFlex))
	}
	return list
}
