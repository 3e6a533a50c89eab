package promise

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file backs gangs that run where they stand (semantics §3, rule 3).

// block is a gang that runs inside one island, or has reserved room there.
type block struct {
	island     int
	nodes      int   // that it touches
	guaranteed []int // of these, those that it holds guaranteed
	lost       int   // nodes that it is to be mended with
	alone      bool  // whether each of its replicas takes a node whole
	anywhere   bool  // whether it may leave the island: then it is backed as loose work is
	upTo       int   // GPUs of its account's guaranteed work up to it and with it, in the quota's order
}

// ownBlock is a running gang with its account.
type ownBlock struct {
	*block
	account int
}

// runningGangs lists the gangs of several replicas that an account runs inside
// islands, in the quota's order.
func (al *aligner) runningGangs(a *fleet.Account) []block {
	var list []block
	var upTo map[fleet.Key]int // most accounts run no gang, and need none
	for _, w := range a.Work() {
		for i, pool := range w.Pools {
			if pool.Elastic || pool.Min < 2 {
				continue
			}
			b := al.gangOf(w.Replicas[i])
			b.anywhere, b.lost, b.alone = pool.Reach == fleet.ReachAny, al.lostNodes(w, i), pool.GPUs == al.p.GPUsPerNode
			if b.nodes == 0 || b.anywhere && !al.inOneIsland(w.Replicas[i]) {
				continue
			}
			if upTo == nil {
				upTo = al.guaranteedUpTo(a)
			}
			b.upTo = upTo[fleet.KeyOf(w, pool.Rank, false)]
			list = append(list, b)
		}
	}
	return list
}

// guaranteedUpTo counts the GPUs of an account's guaranteed work up to each unit and with it, in the quota's order. Work may
// hold its GPUs as guaranteed that no longer is: it is classified after the alignment.
func (al *aligner) guaranteedUpTo(a *fleet.Account) map[fleet.Key]int {
	upTo, gpus := map[fleet.Key]int{}, 0
	for _, u := range al.unitsOfAccount(a) {
		if u.guaranteed {
			gpus += u.gpus
		}
		upTo[u.key] = gpus
	}
	return upTo
}

// whole is how many nodes a guaranteed gang takes once it has been mended.
func (b *block) whole() int { return len(b.guaranteed) + b.lost }

// inOneIsland says whether all replicas that stay stand in one island.
func (al *aligner) inOneIsland(replicas []fleet.Replica) bool {
	island := -1
	for _, r := range replicas {
		i := al.p.Nodes[r.Node].Island
		if r.Phase == fleet.Leaving {
			continue
		}
		if island >= 0 && i != island {
			return false
		}
		island = i
	}
	return true
}

func (al *aligner) gangOf(replicas []fleet.Replica) block {
	var b block
	seen := al.newMark()
	held := seen + 1
	for _, r := range replicas {
		if r.Phase == fleet.Leaving {
			continue
		}
		b.island = al.p.Nodes[r.Node].Island
		if al.marks[r.Node] < seen {
			al.marks[r.Node] = seen
			b.nodes++
		}
		if r.HeldAs == fleet.HoldsGuaranteed && al.marks[r.Node] < held {
			al.marks[r.Node] = held
			b.guaranteed = append(b.guaranteed, r.Node)
		}
	}
	return b
}

// newMark gives a number above all that nodes are marked with, and above the next one too.
func (al *aligner) newMark() int32 {
	if len(al.marks) != len(al.p.Nodes) || al.lastMark > mostMarks {
		al.marks, al.lastMark = make([]int32, len(al.p.Nodes)), 0
	}
	al.lastMark += 2
	return al.lastMark
}

// mostMarks is when marks begin anew: the partition's next alignment goes on where the last one ended.
const mostMarks = 1 << 30

// backRunningGangs backs guaranteed gangs where they run, within what their grants have room for.
func (al *aligner) backRunningGangs() {
	for k := range al.rows {
		r := &al.rows[k]
		r.running, r.limit = al.gangsOfAccount(r.account), r.grant
		if !al.anew {
			r.limit = min(r.grant, r.account.BackedNodes())
		}
	}
	al.backGangsWithinLimits()
}

// backGangsWithinLimits backs gangs that run, largest first; one that is being
// mended as the whole gang that it will be. They stand on whole nodes already: what the own share of the island does not hold
// of them is loose. So a gang that starts never drives a declared one of
// others, and what that lends, from an island that has nodes for both (no
// admission takes cover, rule 4).
func (al *aligner) backGangsWithinLimits() {
	var list []ownBlock
	for k := range al.rows {
		for i := range al.rows[k].running {
			if b := &al.rows[k].running[i]; len(b.guaranteed) > 0 && b.upTo <= al.rows[k].limit*al.p.GPUsPerNode {
				list = append(list, ownBlock{b, k})
			}
		}
	}
	al.noRunningGangs()
	counted := al.newMark()
	for _, b := range largestFirst(list) {
		al.backRunning(b, counted)
	}
}

// largestFirst orders gangs by the nodes that they take once they have been mended. There are thousands, of few sizes.
func largestFirst(list []ownBlock) []ownBlock {
	most := 0
	for _, b := range list {
		most = max(most, b.whole())
	}
	at := make([]int, most+1) // by size: where the next of it goes
	for _, b := range list {
		at[b.whole()]++
	}
	sum := 0
	for size := most; size >= 0; size-- {
		at[size], sum = sum, sum+at[size]
	}
	sorted := make([]ownBlock, len(list))
	for _, b := range list {
		sorted[at[b.whole()]] = b
		at[b.whole()]++
	}
	return sorted
}

// noRunningGangs begins anew, with no running gang backed.
func (al *aligner) noRunningGangs() {
	al.runs = 0
	for i := range al.islands {
		al.islands[i].runs = 0
	}
	for k := range al.rows {
		al.rows[k].runs = 0
		for x := range al.rows[k].stands {
			al.rows[k].stands[x].runs = 0
		}
	}
}

// lowerLimits says whether an account gets less than its guaranteed work up to a gang needs that was backed before that
// work. No gang after what it gets is backed first then: it would leave more important work of its own quota
// uncovered, and loses its cover instead (§3: the least important first).
func (al *aligner) lowerLimits() bool {
	lower := false
	for k := range al.rows {
		r := &al.rows[k]
		if r.runs == 0 || r.target >= r.limit {
			continue
		}
		for i := range r.running {
			need := r.running[i].upTo
			if len(r.running[i].guaranteed) > 0 && need > r.target*al.p.GPUsPerNode && need <= r.limit*al.p.GPUsPerNode {
				r.limit, lower = r.target, true
				break
			}
		}
	}
	return lower
}

// backRunning backs a gang where it runs, whole if it may; two small ones may share a node, which counts once.
func (al *aligner) backRunning(b ownBlock, counted int32) {
	stands := al.uncounted(b, counted)
	if b.anywhere || !al.takes(b, stands+al.mendable(b)) && !al.takes(b, stands) || b.alone {
		return
	}
	for _, n := range b.guaranteed {
		al.marks[n] = counted
	}
}

// uncounted is how many of a gang's nodes have not been counted yet for another one.
func (al *aligner) uncounted(b ownBlock, counted int32) (nodes int) {
	if b.alone {
		return len(b.guaranteed)
	}
	for _, n := range b.guaranteed {
		if al.marks[n] < counted {
			nodes++
		}
	}
	return nodes
}

// takes backs so many nodes of a gang where it runs, if the grant, the island's own share and the partition have them.
func (al *aligner) takes(b ownBlock, nodes int) bool {
	r, is := &al.rows[b.account], &al.islands[b.island]
	if nodes == 0 || r.runs+nodes > r.grant || is.runs+nodes > is.share || al.runs+nodes > al.cap.Promisable {
		return false
	}
	al.stand(b.account, b.island).runs += nodes
	r.runs, is.runs, al.runs = r.runs+nodes, is.runs+nodes, al.runs+nodes
	return true
}

// mendable is how many of the nodes that a gang has lost are backed first with it: all of them when promisable
// falls or a grant changes, else only those that back it now (no move takes cover, rule 4).
func (al *aligner) mendable(b ownBlock) int {
	if s := al.at(b.account, b.island); !al.anew && s.present < b.whole() {
		return 0
	}
	return b.lost
}
