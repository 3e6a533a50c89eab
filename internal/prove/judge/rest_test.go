package judge_test

import (
	"fmt"
	"sort"

	"github.com/muster-fleet/muster/internal/prove/judge"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// rest judges a state at rest: no work waits that could start.
func (c *court) rest(s *fleet.State, now fleet.Instant) *broken {
	p := s.Partition(here)
	j := judge.New(s, p, now)
	j.ByTurn = c.turn
	seen := map[string]bool{}
	for _, a := range p.Accounts {
		if b := c.queue(j, p, a); b != nil {
			return b
		}
		if !seen[a.Tree()] {
			seen[a.Tree()] = true
			if b := c.borrowers(j, p, a.Tree()); b != nil {
				return b
			}
		}
	}
	return c.flexQueues(j, p)
}

// queueHead is the first waiting unit that holds a reservation.
type queueHead struct {
	it    fleet.Waiting
	holds bool
	// returns: it is on its way back to its queue, and could start at once. Then less
	// important work waits for it, too.
	returns bool
}

// returning lists the units of an account that are on their way back to its queue: they
// wait from the moment when that was decided.
func returning(p *fleet.Partition, a *fleet.Account) (list []fleet.Waiting) {
	for _, w := range p.Leaving() {
		if judge.ComesTo(p, w) == a && w.Returns() {
			list = append(list, fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)})
		}
		for i, pool := range w.Pools {
			if w.Account() == a && w.Rejoins(i) {
				list = append(list, fleet.Waiting{Workload: w, Pool: i, Key: fleet.KeyOf(w, pool.Rank, false)})
			}
		}
	}
	return list
}

// queued is what waits for an account, with what is on its way back, in order.
func queued(p *fleet.Partition, a *fleet.Account) []fleet.Waiting {
	list := append(a.Queue(), returning(p, a)...)
	sort.SliceStable(list, func(i, k int) bool { return list[i].Key.Before(list[k].Key) })
	return list
}

// headOf makes a unit the head of a queue.
func headOf(j *judge.Judge, it fleet.Waiting) queueHead {
	h := queueHead{it: it, holds: true}
	if it.Workload.State == fleet.Evicting {
		_, h.returns, _ = j.Start(j.Ways(it)[0])
	}
	return h
}

// bars says whether a unit behind the head is, as far as the judge knows, Behind
// it: no random workload declares a maximum run time, so only who is evictable
// by the head may pass, unless it rests.
func (h *queueHead) bars(j *judge.Judge, it fleet.Waiting) bool {
	rests := j.Rests(j.Ways(it)[1])
	return h.holds && it.Workload != h.it.Workload && (h.returns || rests || !h.it.Key.Importance().Above(it.Key.Importance()))
}

// queue walks a quota's queue in its order. Who joins is not judged: pools of
// higher rank join as room allows.
func (c *court) queue(j *judge.Judge, p *fleet.Partition, a *fleet.Account) *broken {
	head := queueHead{}
	for _, it := range queued(p, a) {
		if it.Pool != fleet.Base {
			return nil
		}
		ways := j.Ways(it)
		if !head.bars(j, it) && it.Workload.State == fleet.Pending {
			if b := c.refusal(j, ways[0], queued(p, a)); b != nil {
				return b
			}
		}
		if !head.holds && j.FitsEmpty(ways[0]) {
			head = headOf(j, it)
		}
	}
	return nil
}

// refusal judges a unit that waits: no work that could make room for it may stay, unless others
// of its queue would take that room at once.
func (c *court) refusal(j *judge.Judge, claim judge.Claim, queue []fleet.Waiting) *broken {
	if j.Unsure(claim) {
		c.unsure++
		return nil
	}
	v, could, sure := j.Start(claim)
	question := j.Question(claim)
	switch {
	case !sure:
		c.unsure++
	case !c.asked[question] && question != "":
		c.refusals++
		c.asked[question] = true
	}
	if !could || j.Rests(claim) || j.Spares(claim) && len(v.Victims) > 0 {
		return nil
	}
	v, could, _ = j.StartBut(claim, func(set []judge.Unit) bool { return j.TakenAtOnce(claim, set, queue) })
	if !could {
		return nil
	}
	return &broken{rule: "who could start does not wait", detail: fmt.Sprintf("%s waits, and could start %v at the cost of %s", claim.Work.Name, claim.Holds, unitsText(v.Victims))}
}

// borrowers walks the queues of a tree in the order of importance and age.
func (c *court) borrowers(j *judge.Judge, p *fleet.Partition, tree string) *broken {
	var list []fleet.Waiting
	for _, a := range p.Accounts {
		if a.Tree() == tree {
			for _, it := range returning(p, a) {
				if it.Pool != fleet.Base {
					return nil // what joins is not judged
				}
				if _, could, _ := j.Start(j.Ways(it)[0]); could {
					return nil // who would borrow leaves it its room
				}
			}
			list = append(list, queued(p, a)...)
		}
	}
	sort.Slice(list, func(i, k int) bool { return list[i].Key.Before(list[k].Key) })
	head, own := queueHead{}, map[string]*queueHead{}
	for _, it := range list {
		if it.Pool != fleet.Base {
			return nil
		}
		ways := j.Ways(it)
		quota := ways[0].Account.Quota
		if own[quota] == nil {
			own[quota] = &queueHead{}
		}
		mine := own[quota]
		// Behind a head of its own quota it may pass only if it really borrows, so
		// that the head could evict it.
		if !head.bars(j, it) && !mine.bars(j, it) && it.Workload.State == fleet.Pending {
			if b := c.refusal(j, ways[1], list); b != nil {
				return b
			}
		}
		switch {
		case j.FitsEmpty(ways[0]) && !mine.holds:
			*mine = headOf(j, it)
		case !head.holds && !j.Rests(ways[1]) && !j.FitsEmpty(ways[0]) && j.FitsEmpty(ways[1]):
			head = headOf(j, it)
		}
	}
	return nil
}

// flexQueues judges those whom the head of flex does not bar: the namespaces
// that have no more flex than the head's.
func (c *court) flexQueues(j *judge.Judge, p *fleet.Partition) *broken {
	least, first, all := 0, true, []fleet.Waiting(nil)
	for _, ns := range p.Namespaces() {
		all = append(all, p.FlexOf(ns).Queue()...)
		if len(p.FlexOf(ns).Queue()) > 0 && (first || p.FlexOf(ns).Staying < least) {
			least, first = p.FlexOf(ns).Staying, false
		}
	}
	for _, ns := range p.Namespaces() {
		if p.FlexOf(ns).Staying > least {
			continue
		}
		for _, it := range p.FlexOf(ns).Queue() {
			if it.Pool != fleet.Base {
				break
			}
			if leavesRoom(j, p, it) {
				continue
			}
			if b := c.refusal(j, j.Ways(it)[0], all); b != nil {
				return b
			}
		}
	}
	return nil
}

// leavesRoom says whether a unit of flex waits for work that is on its way back to flex, comes before it and could start, were it back.
func leavesRoom(j *judge.Judge, p *fleet.Partition, it fleet.Waiting) bool {
	for _, w := range p.Leaving() {
		if !judge.ComesToFlex(p, w) || !w.Returns() {
			continue
		}
		back := fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)}
		if _, could, _ := j.Start(j.Ways(back)[0]); could && beforeOnFlex(p, back, it) {
			return true
		}
	}
	return false
}

// beforeOnFlex is the order of flex: inside a namespace that of its units, else the namespace with less, then who was submitted first.
func beforeOnFlex(p *fleet.Partition, a, b fleet.Waiting) bool {
	x, y := a.Workload, b.Workload
	if x.Namespace == y.Namespace {
		return a.Key.Before(b.Key)
	}
	if has, other := p.FlexOf(x.Namespace).Staying, p.FlexOf(y.Namespace).Staying; has != other {
		return has < other
	}
	return x.Submitted < y.Submitted || x.Submitted == y.Submitted && x.ID < y.ID
}
