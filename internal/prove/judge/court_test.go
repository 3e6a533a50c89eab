package judge_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/judge"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A court compares what the engine decided with what the judge finds by trying
// everything, and counts its cases: decisions with a choice.
type court struct {
	evictions int // with victims
	equal     int // of them: every set of up to judge.Few candidates was tried
	refusals  int // of waiting units for which there were GPUs enough, or work to evict
	unsure    int // not counted: more than judge.Few candidates, so it is not known
	elsewhere int // evictions that are not judged here: for mending
	together  int // submissions of several at once, judged as a set

	heads bool            // who passes a head is judged
	turn  bool            // see judge.Judge.ByTurn
	asked map[string]bool // questions that were refused already
}

func newCourt(f features) *court {
	return &court{heads: f.heads, turn: f.turn, asked: map[string]bool{}}
}

func (c *court) String() string {
	return fmt.Sprintf("%d evictions (%d of them compared with every set of victims, %d for mending left out), %d refused starts (%d more with too many candidates), %d sets submitted together",
		c.evictions, c.equal, c.elsewhere, c.refusals, c.unsure, c.together)
}

func (c *court) cases() int { return c.evictions + c.refusals }

func (c *court) add(d *court) {
	c.evictions += d.evictions
	c.equal += d.equal
	c.refusals += d.refusals
	c.unsure += d.unsure
	c.elsewhere += d.elsewhere
	c.together += d.together
}

// judge judges a record: each eviction in the state in which it was decided, and
// then those that still wait.
func (c *court) judge(before, after *fleet.State, r event.Record, now fleet.Instant) *broken {
	s := before.Clone()
	for at := 0; at < len(r.Events); {
		n, owner := evictionAt(r.Events[at:])
		if placed, is := r.Events[at+n].(event.ReplicasPlaced); is && c.heads {
			if b := c.passes(s, after, placed, now); b != nil {
				return b
			}
		}
		if placed, is := r.Events[at+n].(event.ReplicasPlaced); is {
			if w := s.Workloads[placed.ID]; judge.New(s, s.Partition(here), now).Rests(judge.Claim{Work: w, Holds: placed.Holds}) {
				return &broken{rule: "who rests does not start", detail: fmt.Sprintf("%s starts as %v", w.Name, placed.Holds)}
			}
		}
		if owner != nil {
			if b := c.eviction(s, r.Events[at:at+n], *owner, now); b != nil {
				return b
			}
		}
		core.ApplyRecord(s, event.Record{Seq: s.Seq, At: r.At, Events: r.Events[at : at+max(1, n)]})
		at += max(1, n)
	}
	if len(r.Events) == 0 || after.Partition(here) == nil {
		return nil
	}
	if b := c.submitted(before, r, now); b != nil {
		return b
	}
	return c.rest(after, now)
}

// evictionAt counts the victims that begin here, and reads whom they make room for.
func evictionAt(events []event.Event) (victims int, owner *event.ReplicasPlaced) {
	for i, e := range events {
		switch e := e.(type) {
		case event.ReplicasEvicted:
		case event.ReservationEnded:
			if !strings.HasPrefix(e.Why, "outranked") {
				return 0, nil
			}
		case event.ReplicasPlaced:
			if i > 0 {
				return i, &e
			}
			return 0, nil
		default:
			return 0, nil
		}
	}
	return 0, nil
}

// eviction judges one: were the victims allowed, does the newcomer fit, could one
// of them have been spared, would others have been cheaper?
func (c *court) eviction(s *fleet.State, victims []event.Event, owner event.ReplicasPlaced, now fleet.Instant) *broken {
	p := s.Partition(here)
	j := judge.New(s, p, now)
	j.ByTurn = c.turn
	claim, ok := claimOf(j, s, owner)
	if !ok {
		c.elsewhere++
		return nil
	}
	if j.Unsure(claim) {
		c.unsure++
		return nil
	}
	if c.evictions++; j.Spares(claim) {
		return &broken{rule: "who spares others evicts none to borrow", detail: claim.Work.Name}
	}
	chosen := chosenOf(s, p, victims)
	place := placeOf(s, owner)
	says := func(rule, detail string, args ...any) *broken {
		return &broken{rule: rule, detail: fmt.Sprintf("%s (%v) at %v, at the cost of %s: ", claim.Work.Name, claim.Holds, owner.Spots, unitsText(chosen)) + fmt.Sprintf(detail, args...)}
	}
	if u, fair := j.Allowed(claim, chosen, place); !fair {
		return says("only who may be evicted is", "%s may not be", u.Work.Name)
	}
	if !j.Fits(claim, chosen, place) {
		return says("who evicts fits then", "it does not")
	}
	cost, ok := j.Price(claim, chosen, place)
	if !ok {
		return says("only who may be evicted is", "not as a set")
	}
	at := placeIn(j, p, claim, place, chosen)
	claim = j.BesideLater(claim, chosen, place)
	if v, spared := j.Spared(claim, chosen, at); spared {
		return says("nobody is evicted in vain", "%s would do", unitsText(v.Victims))
	}
	list := j.Evictable(claim)
	if len(list) > judge.Few {
		return nil
	}
	c.equal++
	taken := func(set []judge.Unit) bool { return j.TakenAtOnce(claim, set, ahead(p, claim)) }
	if v, cheaper := j.CheaperBut(claim, list, cost, at, taken); cheaper {
		return says("the cheapest set of victims goes", "it costs %+v; %s would cost %+v", cost, unitsText(v.Victims), v.Cost)
	}
	return nil
}

// ahead is what waits in a claim's tree, and might take the room that a set of victims leaves the claim; on flex it is not asked.
func ahead(p *fleet.Partition, claim judge.Claim) (list []fleet.Waiting) {
	for _, a := range p.Accounts {
		if claim.Account != nil && a.Tree() == claim.Account.Tree() {
			list = append(list, queued(p, a)...)
		}
	}
	return list
}

// placeIn is the place to judge an eviction in, or nil for any. Replicas smaller
// than a node that their quota has room for are packed as if no flex work were
// there (decision record 0004), so of flex work the least goes in that place. So does what passes work that is on its
// way to the same queue: in another place it may leave that no room.
func placeIn(j *judge.Judge, p *fleet.Partition, claim judge.Claim, place []judge.Stand, chosen []judge.Unit) []judge.Stand {
	if claim.Holds != fleet.HoldsGuaranteed || j.Whole(claim) && !passesReturning(p, claim) {
		return nil
	}
	for _, v := range chosen {
		if !v.Work.Flexes() {
			return nil
		}
	}
	return place
}

// passesReturning says whether work that comes before a claim is on its way to its queue.
func passesReturning(p *fleet.Partition, claim judge.Claim) bool {
	return slices.ContainsFunc(returning(p, claim.Account), func(it fleet.Waiting) bool { return it.Key.Before(claim.Key) })
}

// claimOf is what a placement claimed; false for mending.
func claimOf(j *judge.Judge, s *fleet.State, e event.ReplicasPlaced) (judge.Claim, bool) {
	w := s.Workloads[e.ID]
	if e.Mend {
		return judge.Claim{}, false
	}
	var ways []judge.Claim
	switch pool := e.Spots[0].Pool; {
	case w.State == fleet.Pending:
		ways = j.Ways(fleet.Waiting{Workload: w, Pool: fleet.Base})
	case w.Stays(pool) < w.Pools[pool].Min:
		ways = j.Ways(fleet.Waiting{Workload: w, Pool: pool})
	default:
		ways = j.GrowthOf(w, pool, fleet.Count(e.Spots))
	}
	for _, c := range ways {
		if c.Holds == e.Holds {
			return c, true
		}
	}
	return judge.Claim{}, false
}

func placeOf(s *fleet.State, e event.ReplicasPlaced) []judge.Stand {
	var place []judge.Stand
	for _, spot := range e.Spots {
		for _, node := range spot.Nodes {
			place = append(place, judge.Stand{Node: node, GPUs: s.Workloads[e.ID].Pools[spot.Pool].GPUs, Footprint: s.Workloads[e.ID].Pools[spot.Pool].Footprint})
		}
	}
	return place
}

// chosenOf finds the units that victims lose: those of before that do not all
// stand afterwards, without those that leave with others anyway.
func chosenOf(s *fleet.State, p *fleet.Partition, victims []event.Event) []judge.Unit {
	gone := map[[3]int]int{} // replicas that leave, by workload, pool and node
	works := map[uint64]bool{}
	for _, e := range victims {
		id, spots := uint64(0), []fleet.Spot(nil)
		switch e := e.(type) {
		case event.ReplicasEvicted:
			id, spots = e.ID, e.Spots
		case event.ReservationEnded:
			id, spots = e.ID, e.Spots
		}
		works[id] = true
		for _, spot := range spots {
			for _, node := range spot.Nodes {
				gone[[3]int{int(id), spot.Pool, node}]++
			}
		}
	}
	var list []judge.Unit
	for _, w := range byID(s) {
		if works[w.ID] && w.At() == p {
			list = append(list, chosenOfWork(w, gone)...)
		}
	}
	return list
}

func chosenOfWork(w *fleet.Workload, gone map[[3]int]int) []judge.Unit {
	left := make([]int, len(w.Pools))
	base := false
	for i, pool := range w.Pools {
		left[i] = w.Stays(i)
		for at, n := range gone {
			if at[0] == int(w.ID) && at[1] == i {
				left[i] -= n
			}
		}
		base = base || pool.Rank == w.BaseRank() && left[i] < min(pool.Min, w.Stays(i))
	}
	var list []judge.Unit
	for _, u := range judge.UnitsOf(w) {
		switch {
		case u.Pool == fleet.Base:
			if base {
				return []judge.Unit{u}
			}
		case !u.Key.Surplus:
			if left[u.Pool] < min(w.Pools[u.Pool].Min, w.Stays(u.Pool)) {
				list = append(list, u)
			}
		}
	}
	for i, pool := range w.Pools {
		if left[i] < pool.Min {
			continue
		}
		for _, phase := range []fleet.Phase{fleet.Reserved, fleet.Running} { // of two on a node what is only reserved goes first
			for index := len(w.Replicas[i]) - 1; index >= 0; index-- { // and of those in turn the last: it may hold otherwise
				r := w.Replicas[i][index]
				if at := [3]int{int(w.ID), i, r.Node}; r.Phase == phase && gone[at] > 0 {
					gone[at]--
					list = append(list, judge.SurplusAt(w, i, index))
				}
			}
		}
	}
	return list
}

func unitsText(list []judge.Unit) string {
	var names []string
	for _, u := range list {
		name := fmt.Sprintf("%s(%v", u.Work.Name, u.Holds)
		if u.Pool != fleet.Base {
			name += fmt.Sprintf(" pool %d", u.Pool)
		}
		if u.Key.Surplus {
			name += " surplus"
		}
		names = append(names, name+")")
	}
	sort.Strings(names)
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}
