package invariant

import (
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// firsts walks a whole queue for the first unit of each kind, which must be those that the queue
// lists. Units are of one kind if they have the same shape, are kept back alike, and the same holds are kept for them.
func (c *checker) firsts(name string, queue []fleet.Waiting, is []*fleet.Waiting, holds []*fleet.Hold, heard fleet.Instant) {
	type kind struct {
		shape int
		rest  fleet.Rest
		holds string
	}
	met, at := map[kind]bool{}, 0
	for _, it := range queue {
		if it.Pool == fleet.Base && it.Rest() != it.Workload.RestAt(heard) {
			c.broken(ruleIndex, "queue of %s: %s is not filed as it is kept back", name, called(it.Workload))
			return
		}
		k := kind{it.Shape(), it.Rest(), holdsFor(holds, it.Workload)}
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

// holdsFor says of each hold in turn whether it is kept for a workload: "+", or not: "-".
func holdsFor(holds []*fleet.Hold, w *fleet.Workload) string {
	var text strings.Builder
	for _, h := range holds {
		if h.For(w) {
			text.WriteByte('+')
		} else {
			text.WriteByte('-')
		}
	}
	return text.String()
}
