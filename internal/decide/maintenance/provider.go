package maintenance

import "github.com/muster-fleet/muster/internal/state/fleet"

// UntestedByProvider says whether a maintenance of the provider brought a node to a configuration that no canary has proven
// (maintenance §2.2). It is a flag for people: nothing that the provider forces is hidden.
func UntestedByProvider(s *fleet.State, p *fleet.Partition, n *fleet.Node) bool {
	return n.Forced && s.Kept().Verdict(p.GPU, n.Runs.Hash()) != fleet.Proven
}
