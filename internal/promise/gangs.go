package promise

import (
	"sort"

	"github.com/muster-fleet/muster/internal/fleet"
)

// block is a gang that wants to stand whole in one island.
type block struct {
	account, island, nodes int
	on                     map[int]bool // the nodes of a running gang
}

// runningGangs lists the gangs of several nodes that an account runs inside
// islands, or has reserved room for; only guaranteed ones if asked so.
func (al *aligner) runningGangs(a int, guaranteed bool) []block {
	var list []block
	for _, w := range al.p.Accounts[a].Work() {
		for i, pool := range w.Pools {
			if pool.Elastic || pool.Reach == fleet.ReachAny || pool.Min < 2 {
				continue
			}
			if b, ok := al.gangOf(w, i, guaranteed); ok {
				b.account = a
				list = append(list, b)
			}
		}
	}
	return list
}

func (al *aligner) gangOf(w *fleet.Workload, pool int, guaranteed bool) (block, bool) {
	b := block{on: map[int]bool{}}
	for _, r := range w.Held[pool] {
		if r.Phase == fleet.Leaving || (guaranteed && r.Holds != fleet.HoldsGuaranteed) {
			continue
		}
		b.on[r.Node] = true
		b.island = al.p.Nodes[r.Node].Island
	}
	b.nodes = len(b.on)
	return b, b.nodes > 0
}

// backRunningGangs backs guaranteed gangs where they run, largest first.
func (al *aligner) backRunningGangs() {
	var list []block
	for a := range al.p.Accounts {
		list = append(list, al.runningGangs(a, true)...)
	}
	al.sortBlocks(list)
	taken := map[int]bool{} // two small gangs may share a node, which counts once
	for _, b := range list {
		more := 0
		for n := range b.on {
			if !taken[n] {
				more++
			}
		}
		if total(al.blocks[b.account])+more > al.grant(b.account) || !al.takes(b.island, more) {
			continue
		}
		for n := range b.on {
			taken[n] = true
		}
		al.take(b.account, b.island, more)
	}
}

// sortBlocks puts the largest gang first; among equals one that has its island, then by path.
func (al *aligner) sortBlocks(list []block) {
	stands := func(b block) bool { return b.on != nil || al.presentIsland(b.account, b.nodes) >= 0 }
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].nodes != list[j].nodes {
			return list[i].nodes > list[j].nodes
		}
		return stands(list[i]) && !stands(list[j])
	})
}

// takes says whether an island's own share and the partition's promisable leave room for more gangs.
func (al *aligner) takes(island, nodes int) bool {
	return al.taken[island]+nodes <= al.cap.Shares[island] && al.total+nodes <= al.cap.Promisable
}

func (al *aligner) take(a, island, nodes int) {
	al.blocks[a][island] += nodes
	al.taken[island] += nodes
	al.total += nodes
}

// backDeclaredGangs backs the gangs that grants declare, largest first. A gang
// that fits in no island whole is loose, with the best island and what it lacks.
func (al *aligner) backDeclaredGangs() {
	var list []block
	for a, acc := range al.p.Accounts {
		if nodes := al.nodes(min(acc.Gang, acc.Grant)); nodes > 0 {
			list = append(list, block{account: a, nodes: nodes})
		}
	}
	al.sortBlocks(list)
	for _, b := range list {
		al.backDeclared(b)
	}
}

// presentIsland is the island that backs the account's declared gang now, or −1.
func (al *aligner) presentIsland(a, nodes int) int {
	acc := al.p.Accounts[a]
	if acc.GangMissing == 0 && acc.GangIsland < len(acc.Backing) && acc.Backing[acc.GangIsland] >= nodes {
		return acc.GangIsland
	}
	return -1
}

func (al *aligner) backDeclared(b block) {
	best, lacking := -1, 0
	for _, i := range al.choices(b) {
		more := max(0, b.nodes-al.blocks[b.account][i])
		room := min(al.roomFor(b, i), al.cap.Promisable-al.total, al.grant(b.account)-total(al.blocks[b.account]))
		if more <= room {
			al.take(b.account, i, more)
			al.backed[b.account] = true
			al.gangs[b.account] = Gang{Island: i}
			return
		}
		if best < 0 || more-room < lacking || more-room == lacking && i < best {
			best, lacking = i, more-room
		}
	}
	al.gangs[b.account] = Gang{Missing: lacking * al.p.GPUsPerNode, Island: max(best, 0)}
}

// choices lists the islands that may back a declared gang, best first: those
// where its quota's own gangs run, if the grant cannot back both; else the island that
// backs it now, then the one with the least own share left that takes it whole.
func (al *aligner) choices(b block) []int {
	if own := al.ownIslands(b); len(own) > 0 {
		return own
	}
	list := make([]int, len(al.p.Islands))
	for i := range list {
		list[i] = i
	}
	present := al.presentIsland(b.account, b.nodes)
	stands := func(i int) bool { return i == present }
	sort.SliceStable(list, func(x, y int) bool {
		i, j := list[x], list[y]
		if stands(i) != stands(j) {
			return stands(i)
		}
		return !stands(i) && al.roomFor(b, i) < al.roomFor(b, j)
	})
	return list
}

func (al *aligner) ownIslands(b block) []int {
	running := al.runningGangs(b.account, false)
	al.sortBlocks(running)
	var own []int
	for _, r := range running {
		if r.nodes+b.nodes > al.grant(b.account) {
			own = append(own, r.island)
		}
	}
	return own
}

// roomFor is the own share that is left in an island for a declared gang. What
// backs running work of others there stays, so that a new gang waits rather
// than take it (rule 4); a gang that stands there already does not ask.
func (al *aligner) roomFor(b block, island int) int {
	room := al.cap.Shares[island] - al.taken[island]
	if al.presentIsland(b.account, b.nodes) == island {
		return room
	}
	for a, acc := range al.p.Accounts {
		if a != b.account {
			room -= max(0, min(acc.Touched(island), acc.Backing[island])-al.blocks[a][island])
		}
	}
	return room
}
