package invariant

import "github.com/muster-fleet/muster/internal/state/fleet"

// firsts walks a whole queue for the first unit of each kind: those of one shape
// for whom the same holds are. They must be those that the queue says.
func (c *checker) firsts(name string, queue []fleet.Waiting, is []*fleet.Waiting, holds []*fleet.Hold) {
	type kind struct {
		shape int
		holds string
	}
	met, at := map[kind]bool{}, 0
	for _, it := range queue {
		k := kind{it.Shape(), ""}
		for _, h := range holds {
			k.holds += map[bool]string{true: "+", false: "-"}[h.For(it.Workload)]
		}
		if it.Shape() != 0 && met[k] {
			continue
		}
		met[k] = true
		if at >= len(is) || is[at].Workload != it.Workload || is[at].Pool != it.Pool {
			c.broken(ruleIndex, "queue of %s: %s is the first of its kind, and not listed as number %d of them", name, called(it.Workload), at+1)
			return
		}
		at++
	}
	if at < len(is) {
		c.broken(ruleIndex, "queue of %s: %s is listed as the first of a kind, and is not", name, called(is[at].Workload))
	}
}
