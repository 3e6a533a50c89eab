package picture

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// Staircase is how many gangs of each size could start for one target in one partition.
type Staircase struct {
	Target, Partition string
	Steps             []draw.Stair
	Quota             *musterv1.UsableQuota // of a quota
	Flex              *musterv1.UsableFlex  // of flex
	pale              []draw.Ink            // of what others wait for, and come first
}

// Staircases are those of an answer, target by target. On top of what a quota could
// start stands what could start on its partition's flex.
func Staircases(u *musterv1.UsableResponse) []Staircase {
	flex := map[string]*musterv1.UsableFlex{}
	for _, f := range u.GetFlex() {
		flex[f.GetPartition()] = f
	}
	var list []Staircase
	for _, q := range u.GetQuotas() {
		steps := draw.StairsOf(int(q.GetGpusPerNode()), int(q.GetFree()), ints(q.GetIslandNodes()), ints(flex[q.GetPartition()].GetIslandNodes()))
		s := Staircase{Target: q.GetQuota(), Partition: q.GetPartition(), Steps: steps, Quota: q, pale: pale(draw.Flex, flex[q.GetPartition()])}
		s.pale = append(s.pale, pale(draw.Quota, q)...)
		list = append(list, s)
	}
	for _, f := range u.GetFlex() {
		steps := draw.StairsOf(int(f.GetGpusPerNode()), 0, nil, ints(f.GetIslandNodes()))
		list = append(list, Staircase{Target: "flex", Partition: f.GetPartition(), Steps: steps, Flex: f, pale: pale(draw.Flex, f)})
	}
	return list
}

// ordered says what of a target comes first: how many workloads wait, and how many GPUs one of them has reserved.
type ordered interface {
	GetWaiting() int32
	GetReserved() int32
}

// pale is the ink of what others come before; none, where there are no others.
func pale(ink draw.Ink, of ordered) []draw.Ink {
	if of.GetWaiting() == 0 && of.GetReserved() == 0 {
		return nil
	}
	return []draw.Ink{ink}
}

// Draw draws one staircase; id tells it apart from others of a page.
func (s Staircase) Draw(id string) draw.SVG {
	label := "How many gangs of each size could start in " + s.Target + " in " + s.Partition
	if n := s.Waiting(); n > 0 {
		label += "; behind " + draw.Count(n, "workload") + " that waited before"
	}
	return draw.Stairs(id, label, s.Steps, s.pale...)
}

// Waiting is how many workloads wait for the same room, and come first.
func (s Staircase) Waiting() int {
	return int(max(s.Quota.GetWaiting(), s.Flex.GetWaiting())) // one of them is nil
}

func ints(list []int32) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = int(n)
	}
	return out
}
