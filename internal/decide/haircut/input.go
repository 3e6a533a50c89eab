package haircut

import "github.com/muster-fleet/muster/internal/state/fleet"

// PartInput is what a plan for a partition is made from, in whole nodes: enough to
// make it again under any fixed buffer, outside Muster.
type PartInput struct {
	Partition   string
	Cluster     string
	GPUsPerNode int
	Installed   int
	Healthy     int // the least over the last dwell
	Sustainable int // under the policy of the plan
	Rows        []RowInput
}

// RowInput is one grant. Has is what of it stands in each class, in nodes.
type RowInput struct {
	Quota, Owner         string
	Usage, Idle, Highest int // GPUs
	Grant, Gang, Beside  int // nodes
	Has                  [classes]int
}

// Inputs lists what a plan is made from, in order of partition.
func Inputs(s *fleet.State, ask Ask, now fleet.Instant) []PartInput {
	var list []PartInput
	for _, p := range s.Partitions {
		if !within(p, ask.Scope) {
			continue
		}
		in := PartInput{
			Partition: p.ID, Cluster: p.Cluster, GPUsPerNode: p.GPUsPerNode, Installed: len(p.Nodes),
			Healthy:     Sustainable(Under(s, &fleet.Buffer{Kind: fleet.Fixed}), p, now) / p.GPUsPerNode,
			Sustainable: Sustainable(Under(s, ask.Buffer), p, now) / p.GPUsPerNode,
		}
		for _, r := range rowsOf(p, now) {
			a := r.account
			in.Rows = append(in.Rows, RowInput{
				Quota: a.Quota, Owner: s.OwnerOf(a.Quota), Usage: a.Usage(), Idle: a.Idle(now), Highest: a.HighestUse(now),
				Grant: r.grant, Gang: r.gang, Beside: r.beside, Has: r.has,
			})
		}
		list = append(list, in)
	}
	return list
}

// UniformShare is the share of the fixed buffer that all of a scope has in common;
// false: there is none. Other kinds have none, learning or not: what is made from a plan's
// input outside Muster knows the rule of fixed shares alone.
func UniformShare(s *fleet.State, ask Ask) (fleet.Permille, bool) {
	s = Under(s, ask.Buffer)
	share, known := fleet.Permille(0), false
	for _, p := range s.Partitions {
		if !within(p, ask.Scope) {
			continue
		}
		for i := range p.Islands {
			b := s.BufferFor(p, i)
			if b.Kind != fleet.Fixed || known && b.Share != share {
				return 0, false
			}
			share, known = b.Share, true
		}
	}
	return share, known
}
