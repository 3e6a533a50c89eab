package placement

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestPackingFindsAWayIfThereIsOne compares the search with one that puts every
// replica on every node, for small fleets of which some nodes may not all be opened. What
// spares the search steps is met often: packings refused by counts, and nodes left out as alike.
func TestPackingFindsAWayIfThereIsOne(t *testing.T) {
	ways, refused, alike := 0, 0, 0
	for seed := int64(1); seed <= 20_000; seed++ {
		p := randomPacking(rand.New(rand.NewSource(seed)))
		want := bruteForce(p, p.bins, map[int]bool{}, 0, 0, nil)
		got := clonePacking(p)
		answer := got.pack()
		if answer == notKnown || want != (answer == isPacked) {
			t.Fatalf("seed %d: found %v, there is a way: %v\n%+v", seed, answer, want, p)
		}
		if want {
			ways++
		}
		if !p.mayFit(0) {
			refused++
		}
		alike += len(p.bins) - len(got.bins)
	}
	if ways < 1000 || ways > 19_000 {
		t.Errorf("%d of 20,000 can be packed: too few questions with both answers", ways)
	}
	if refused < 1000 || alike < 1000 {
		t.Errorf("%d were refused by counts, %d nodes were left out as alike: too few to say anything", refused, alike)
	}
}

// TestPackingSaysWhereItStopped: what takes too many steps is not known, and is no "no".
func TestPackingSaysWhereItStopped(t *testing.T) {
	p := &packing{steps: 30, homes: []home{anywhere, anywhere}}
	for i := range 10 { // seven sixes leave room for 13 fours
		p.bins = append(p.bins, bin{node: i, room: 10 + i%2, home: home{i, 0}, kind: nodeCounted})
	}
	p.needs = []need{{replicas: 7, gpus: 6, reach: fleet.ReachAny, beside: -1}, {replicas: 14, gpus: 4, reach: fleet.ReachAny, beside: -1}}
	if answer := p.pack(); answer != notKnown {
		t.Errorf("after %d steps the answer is %v", 30-p.steps, answer)
	}
}

// TestWhatCannotFitByCountNeedsNoSearch: more replicas than a search takes on are still refused
// where the GPUs, or the nodes for one pool, are too few. That is an answer, and "not known" is none.
func TestWhatCannotFitByCountNeedsNoSearch(t *testing.T) {
	for what, needs := range map[string][]need{
		"too few GPUs":               {{replicas: packReplicas + 1, gpus: 8, reach: fleet.ReachAny, beside: -1}},
		"no node takes so many GPUs": {{replicas: 1, gpus: 6, reach: fleet.ReachAny, beside: -1}, {replicas: packReplicas, gpus: 1, reach: fleet.ReachAny, beside: -1}},
	} {
		p := &packing{steps: packSteps, homes: []home{anywhere, anywhere}, needs: needs}
		for i := range packReplicas {
			p.bins = append(p.bins, bin{node: i, room: 5, home: home{i, 0}, kind: nodeCounted})
		}
		if answer := p.pack(); answer != noWay {
			t.Errorf("%s: the answer is %v", what, answer)
		}
	}
}

// TestNodesOfOtherIslandsAreNotAlike: a gang of one island finds it behind islands whose nodes have as much room and are too few.
func TestNodesOfOtherIslandsAreNotAlike(t *testing.T) {
	p := &packing{steps: packSteps, homes: []home{anywhere}, needs: []need{{replicas: 2, gpus: 8, reach: fleet.ReachIsland, beside: -1}}}
	for node, island := range []int{0, 1, 2, 3, 3} {
		p.bins = append(p.bins, bin{node: node, room: 8, home: home{island, 0}, kind: nodeCounted})
	}
	if answer := p.pack(); answer != isPacked {
		t.Errorf("the answer is %v", answer)
	}
}

// TestASearchTakesOnAsManyReplicasAsItsBound: that many are packed, and of one more it is not known.
func TestASearchTakesOnAsManyReplicasAsItsBound(t *testing.T) {
	for replicas, want := range map[int]packAnswer{packReplicas: isPacked, packReplicas + 1: notKnown} {
		p := &packing{steps: packSteps, homes: []home{anywhere}, needs: []need{{replicas: replicas, gpus: 5, reach: fleet.ReachAny, beside: -1}}}
		for i := range replicas {
			p.bins = append(p.bins, bin{node: i, room: 5, home: home{0, 0}, kind: nodeCounted})
		}
		if answer := p.pack(); answer != want {
			t.Errorf("%d replicas on as many nodes: the answer is %v, want %v", replicas, answer, want)
		}
	}
}

// TestPackingMeetsTwoSizesHalfWay is the situation that a search need by need
// misses: the fives take the room in which only a three and a four would be left.
func TestPackingMeetsTwoSizesHalfWay(t *testing.T) {
	p := &packing{
		steps: packSteps, homes: []home{anywhere, anywhere},
		needs: []need{{pool: 0, replicas: 2, gpus: 5, reach: fleet.ReachAny, beside: -1}, {pool: 1, replicas: 4, gpus: 3, reach: fleet.ReachAny, beside: -1}},
	}
	for i, room := range []int{7, 8, 8} {
		p.bins = append(p.bins, bin{node: i, room: room, home: home{i, 0}, kind: nodeCounted})
	}
	if p.pack() != isPacked {
		t.Fatal("5+3, 5+3 and 3+3 fit 8, 8 and 7")
	}
	if slices.Contains(p.given[0], 0) {
		t.Errorf("the fives stand on %v", p.given[0])
	}
}

func randomPacking(r *rand.Rand) *packing {
	p := &packing{steps: packSteps}
	for i := range 1 + r.Intn(5) {
		kind := []nodeKind{nodeCounted, nodeLater, nodeOpen}[r.Intn(3)]
		p.bins = append(p.bins, bin{node: i, room: r.Intn(9), home: home{r.Intn(2), r.Intn(2)}, kind: kind})
	}
	if r.Intn(4) == 0 { // as in most fleets
		for i := range p.bins {
			p.bins[i] = p.bins[0]
			p.bins[i].node = i
		}
	}
	for pool := range 1 + r.Intn(3) {
		reach := []fleet.Reach{fleet.ReachAny, fleet.ReachAny, fleet.ReachIsland, fleet.ReachRack}[r.Intn(4)]
		p.needs = append(p.needs, need{pool: pool, replicas: 1 + r.Intn(2), gpus: 1 + r.Intn(5), reach: reach, beside: -1})
		p.homes = append(p.homes, anywhere)
	}
	if r.Intn(2) == 0 {
		p.own, p.tree = []int{r.Intn(3), r.Intn(3)}, []int{r.Intn(3), r.Intn(3)}
	}
	if r.Intn(3) == 0 {
		tightenBins(r, p)
	}
	return p
}

// tightenBins makes some nodes tight.
func tightenBins(r *rand.Rand, p *packing) {
	for range 2 {
		row := make([]int, len(p.needs))
		for k := range row {
			row[k] = []int{0, 1, 2, unlimited}[r.Intn(4)]
		}
		p.takes = append(p.takes, row)
	}
	for i := range p.bins {
		p.bins[i].takes = r.Intn(3)
	}
}

func clonePacking(p *packing) *packing {
	c := *p
	c.bins, c.own, c.tree = slices.Clone(p.bins), slices.Clone(p.own), slices.Clone(p.tree)
	return &c
}

// bruteForce puts replica after replica on each node.
func bruteForce(p *packing, bins []bin, used map[int]bool, k, n int, at []home) bool {
	if k == len(p.needs) {
		return true
	}
	if n == p.needs[k].replicas {
		return bruteForce(p, bins, used, k+1, 0, nil)
	}
	for i, b := range bins {
		if b.takes > 0 && b.has >= p.takes[b.takes-1][k] {
			continue
		}
		if b.room < p.needs[k].gpus || !inOnePiece(p.needs[k].reach, append(at[:len(at):len(at)], b.home)) {
			continue
		}
		then, opened := slices.Clone(bins), map[int]bool{i: true}
		then[i].room -= p.needs[k].gpus
		then[i].has++
		for o := range used {
			opened[o] = true
		}
		if insideLimits(p, bins, opened) && bruteForce(p, then, opened, k, n+1, append(at[:len(at):len(at)], b.home)) {
			return true
		}
	}
	return false
}

func inOnePiece(reach fleet.Reach, at []home) bool {
	for _, h := range at {
		if reach != fleet.ReachAny && h.island != at[0].island || reach == fleet.ReachRack && h != at[0] {
			return false
		}
	}
	return true
}

func insideLimits(p *packing, bins []bin, used map[int]bool) bool {
	if p.own == nil {
		return true
	}
	own, tree := slices.Clone(p.own), slices.Clone(p.tree)
	for i := range used {
		island := bins[i].home.island
		if bins[i].kind != nodeCounted {
			own[island]--
		}
		if bins[i].kind == nodeOpen {
			tree[island]--
		}
		if own[island] < 0 || tree[island] < 0 {
			return false
		}
	}
	return true
}
