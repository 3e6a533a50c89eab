package promise

import "github.com/muster-fleet/muster/internal/state/fleet"

// goneLong counts, by island, the whole nodes that announced maintenances will take for longer than
// the horizon (maintenance §7): what stands on them cannot be moved for a day and come back. nil:
// there are none. A node that is leaving or out already is no whole one, and counts nowhere here.
func goneLong(s *fleet.State, p *fleet.Partition) []int {
	var gone []int
	seen := map[int]bool{}
	for _, o := range s.Kept().Notices {
		if o.Ended != 0 || !o.Impact.Disturbs() || o.Lasts <= s.Policy.Maintenance.OrDefault().Horizon {
			continue
		}
		for _, name := range o.Nodes {
			i, ok := p.Node(name)
			if !ok || seen[i] || !o.Waits(name) || !p.Nodes[i].Whole() {
				continue
			}
			if gone == nil {
				gone = make([]int, len(p.Islands))
			}
			seen[i] = true
			gone[p.Nodes[i].Island]++
		}
	}
	return gone
}
