package core

import (
	"fmt"
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// gangTooLarge says whether a declared gang is larger than it was and than what every island can sustain: it could never be
// used in one piece (semantics §4).
func gangTooLarge(s *fleet.State, p *fleet.Partition, was, gang int, now fleet.Instant) bool {
	if gang <= was {
		return false
	}
	_, largest := largestSustained(s, p, now)
	return gang > largest
}

// largestSustained is the largest gang that some island can sustain, in GPUs, and that island; -1: there is none.
func largestSustained(s *fleet.State, p *fleet.Partition, now fleet.Instant) (island, gpus int) {
	island, most := -1, 0
	for i, nodes := range promise.SustainableShares(s, p, now) {
		if island < 0 || nodes > most {
			island, most = i, nodes
		}
	}
	return island, most * p.GPUsPerNode
}

// refuseGang refuses a gang that is too large, with the largest that would do.
func refuseGang(s *fleet.State, p *fleet.Partition, quota string, gang int, at fleet.Instant) *Refusal {
	best, largest := largestSustained(s, p, at)
	where := fmt.Sprintf("%s has no islands yet", p.ID)
	if best >= 0 {
		where = fmt.Sprintf("the largest that would do is %s, in island %s under its policy %s", text.Count(largest, "GPU"), p.Islands[best].Name, s.BufferFor(p, best))
	}
	figures := map[string]int{"gang": gang, "largest": largest}
	if now := largestNow(s, p, quota, largest, at); now < largest {
		where += fmt.Sprintf(", of which at most %d are in one piece now beside what backs other quotas", now)
		figures["now"] = now
	}
	return refuse(GangTooLarge, "no island of %s can sustain a gang of %s: %s; declare a smaller gang, %sor overcommit (--overcommit) with a reason", p.ID, text.Count(gang, "GPU"), where, lessBuffer(s, p, gang)).with(figures)
}

// wouldDo says which grant in one piece would be taken where both its sum and its gang are refused; "": none.
func wouldDo(p *fleet.Partition, e event.GrantSet, sum, gang *Refusal) string {
	most := e.GPUs - (sum.Figures["assigned"] + sum.Figures["more"] + sum.Figures["held"] - sum.Figures["sustainable"])
	most = min(most, gang.Figures["largest"])
	if now, less := gang.Figures["now"]; less {
		most = min(most, now)
	}
	if most = p.InWholeNodes(most); most <= 0 {
		return ""
	}
	return fmt.Sprintf(". By both, %s in one piece would do now", text.Count(most, "GPU"))
}

// lessBuffer is the command that has an island keep back so little that it sustains a gang; "": none does.
func lessBuffer(s *fleet.State, p *fleet.Partition, gang int) string {
	for i, island := range p.Islands {
		nodes, needs := installed(p, island), (gang+p.GPUsPerNode-1)/p.GPUsPerNode
		buffer := s.BufferFor(p, i)
		if buffer.Learns() || nodes < needs {
			continue
		}
		share := fleet.Permille(1000 * (nodes - needs) / nodes)
		return fmt.Sprintf("keep less back there (muster buffer set %s/%s %s), ", p.ID, island.Name, fleet.PolicyWord(buffer.Kind, float64(share)/10))
	}
	return ""
}

// installed counts the nodes of an island that are not retired.
func installed(p *fleet.Partition, island *fleet.Island) (n int) {
	for _, i := range island.Nodes() {
		if p.Nodes[i].State != fleet.Retired {
			n++
		}
	}
	return n
}

// largestNow is the largest gang of a quota, of at most so many GPUs, that is backed in one piece beside what others are
// granted: idle backing of theirs makes room where it can. It is tried on copies of the partition.
func largestNow(s *fleet.State, p *fleet.Partition, quota string, most int, now fleet.Instant) (gpus int) {
	tooMany := sort.Search(most/p.GPUsPerNode, func(n int) bool { return !isBackedWhole(s, p, quota, (n+1)*p.GPUsPerNode, now) })
	return tooMany * p.GPUsPerNode
}

// isBackedWhole says whether a grant with a gang of so many GPUs would be backed in one piece now.
func isBackedWhole(s *fleet.State, p *fleet.Partition, quota string, gang int, now fleet.Instant) bool {
	c := s.ForkOf([]*fleet.Partition{p})
	grant := event.GrantSet{Quota: quota, Partition: p.ID, GPUs: gang, Gang: gang}
	if a := p.Account(quota); a != nil {
		grant.GPUs = max(gang, a.Grant)
	}
	apply(c, grant, now)
	q := c.Partition(p.ID)
	gangs := promise.Align(c, q, now).Gangs
	at := slices.IndexFunc(q.Accounts, func(a *fleet.Account) bool { return a.Quota == quota })
	return at >= 0 && gangs[at].Missing == 0
}
