package placement

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file keeps the candidates of each namespace's flex work from one decision to the next. Of
// dozens of namespaces with a hundred units each, a decision changes one or two.

// flexCandidates are the candidates of a namespace, and what they were derived from.
type flexCandidates struct {
	at     flexSeen
	now    fleet.Instant      // when what they lose was counted
	units  []*candidateVictim // in the order of the namespace's units
	sorted []*candidateVictim // cheapest first as of now
	most   *leavable          // of those that have run for the minimum; nil: not counted yet
	until  fleet.Instant      // when another one will have

	gives   giving
	own     map[fleet.Importance]*ownGiving
	nowhere map[shape]refusal // claims of the namespace that no island takes: see nowhere
}

// flexSeen is what the candidates of a namespace are derived from, the moment aside.
type flexSeen struct {
	version uint64        // of its flex work
	staying int           // its GPUs that stay on usable nodes
	minimum time.Duration // that flex work runs before it gives way by shares
	// Where work stands on nodes that are not usable, what counts as use hangs on which these are: it is
	// asked anew in each turn.
	turn, stamp uint64
}

func (pl *Planner) flexSeenOf(namespace string) flexSeen {
	seen := flexSeen{version: pl.p.FlexVersionOf(namespace) + 1, staying: pl.p.FlexOf(namespace).Staying, minimum: pl.s.Policy.FlexRun()}
	if pl.p.Tally().Stranded > 0 {
		seen.turn, seen.stamp = pl.turns, pl.flexStamp()
	}
	return seen
}

// flexCandidates lists the units of a namespace's flex work as candidates, cheapest first. The list is kept until something
// of it changes: read it, do not change it.
func (pl *Planner) flexCandidates(namespace string) []*candidateVictim {
	kept := pl.keptOf(namespace)
	if kept.now == pl.now {
		return kept.sorted
	}
	for _, v := range kept.units {
		v.loses(pl.now)
	}
	kept.now, kept.sorted = pl.now, byCost(kept.sorted) // mostly they are in order still
	return kept.sorted
}

// keptOf are the candidates of a namespace as they are now, the moment aside.
func (pl *Planner) keptOf(namespace string) *flexCandidates {
	kept := pl.candidatesOf[namespace]
	if at := pl.flexSeenOf(namespace); kept == nil || kept.at != at {
		kept = pl.renewed(kept, namespace, at)
		pl.candidatesOf[namespace] = kept
	}
	return kept
}

// leavableOf bounds what work of a namespace could leave free for a flex claim of another one in each island. It is kept
// until something of it changes, or more of it has run for the minimum time.
func (pl *Planner) leavableOf(namespace string) *leavable {
	kept := pl.keptOf(namespace)
	if kept.most == nil || pl.now >= kept.until {
		kept.most, kept.until = pl.leavable(), fleet.Never
		for _, v := range kept.units {
			if pl.ranMinimum(v.w) {
				pl.countLeavable(kept.most, v)
			} else if v.w.Started != 0 {
				kept.until = min(kept.until, v.w.Started.Add(pl.s.Policy.FlexRun()))
			}
		}
	}
	return kept.most
}

// renewed makes the candidates of a namespace anew. Of units that stand as they did the old ones go on, in their order.
func (pl *Planner) renewed(old *flexCandidates, namespace string, at flexSeen) *flexCandidates {
	if old == nil || at.turn != old.at.turn || at.stamp != old.at.stamp {
		old = &flexCandidates{} // what counts as use may have changed
	}
	units := pl.flexUnitsOf(namespace)
	kept := &flexCandidates{at: at, now: fleet.Never, units: make([]*candidateVictim, 0, len(units))}
	rest := old.units
	for _, u := range units {
		var v *candidateVictim
		if i := slices.IndexFunc(rest, func(v *candidateVictim) bool { return v.of == u }); i >= 0 {
			v, rest = rest[i], rest[i+1:]
			v.onFlex.namespace, v.runs, v.successor = at.staying, u.running(), nil
		} else {
			v = pl.flexCandidate(u)
			old.sorted = append(old.sorted, v)
		}
		v.in = kept
		kept.units = append(kept.units, v)
	}
	kept.sorted = slices.DeleteFunc(old.sorted, func(v *candidateVictim) bool { return v.in != kept })
	return kept
}

func (pl *Planner) flexCandidate(u *unit) *candidateVictim {
	v := pl.candidate(*u, ClassFlex)
	v.islands, v.of = pl.islandsOf(v), u
	return v
}

// islandsOf lists the islands in which a candidate may make room: where it stands, or where its pool does
// whose surplus it is. Each replica of the pool may be the surplus.
func (pl *Planner) islandsOf(v *candidateVictim) (list []int) {
	if v.islands != nil {
		return v.islands
	}
	list = pl.addIslandsUnder(nil, &v.unit)
	if v.key.Surplus {
		for _, r := range v.w.Replicas[v.pool] {
			list = pl.addIsland(list, r.Node)
		}
	}
	return list
}

// addIslandsUnder adds the islands in which a unit stands to a list that does not have them, each once.
func (pl *Planner) addIslandsUnder(list []int, u *unit) []int {
	u.eachNode(func(node, _ int) { list = pl.addIsland(list, node) })
	return list
}

// addIsland adds a node's island to a list that does not have it.
func (pl *Planner) addIsland(list []int, node int) []int {
	if island := pl.p.Nodes[node].Island; !slices.Contains(list, island) {
		list = append(list, island)
	}
	return list
}
