package judge

import "slices"

// plenty is more replicas than any node takes.
const plenty = 1 << 20

// takes is how many replicas of a footprint a node takes beside what stays there.
func (sc *scene) takes(footprint string, node int) int {
	t := sc.j.p.Footprint(footprint).At(node)
	if t == nil {
		return plenty
	}
	alike, others := 0, false
	for _, st := range sc.stays {
		if st.Node != node {
			continue
		}
		others = true
		if st.Footprint == footprint {
			alike++
		}
	}
	if t.Full && others {
		return min(t.Takes-alike, t.More)
	}
	return t.Takes - alike
}

// tightAlike says whether two nodes take as many replicas of each need of a claim.
func (sc *scene) tightAlike(c Claim, a, b int) bool {
	for _, n := range c.Needs {
		if name := c.Work.Pools[n.Pool].Footprint; sc.takes(name, a) != sc.takes(name, b) {
			return false
		}
	}
	return true
}

// Unsure says whether it may be left open that a claim finds room: several pools with tight nodes are not packed
// by trying every way (decision record 0026).
func (j *Judge) Unsure(c Claim) bool {
	return len(c.Needs) > 1 && slices.ContainsFunc(c.Needs, func(n Need) bool {
		return j.p.Footprint(c.Work.Pools[n.Pool].Footprint) != nil
	})
}

// orders lists the orders in which a claim's pools may choose their nodes: what a tight node takes of a pool hangs on which
// others stand there already (decision record 0026). Elsewhere one order is as good as another.
func (j *Judge) orders(c Claim) []Claim {
	if !j.Unsure(c) {
		return []Claim{c}
	}
	var list []Claim
	for _, needs := range permutations(c.Needs) {
		c.Needs = needs
		list = append(list, c)
	}
	return list
}

func permutations(list []Need) (all [][]Need) {
	if len(list) == 0 {
		return [][]Need{nil}
	}
	for i, first := range list {
		for _, rest := range permutations(slices.Delete(slices.Clone(list), i, i+1)) {
			all = append(all, append([]Need{first}, rest...))
		}
	}
	return all
}
