package explain

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// declaredEnd is the first moment at which some of the work must have ended, by the maximum
// run time that it declared, or must have left, if it is in its grace period.
func (q *question) declaredEnd(work []*fleet.Workload) Next {
	var next Next
	for _, w := range work {
		if at, what := q.endOf(w); at > q.now && (next.At == 0 || at < next.At) {
			next = Next{at, fmt.Sprintf(what, q.reader.name(q.p, w))}
		}
	}
	return next
}

// endOf is when other work ends at the latest, with a format that says so of its name;
// 0: not known.
func (q *question) endOf(w *fleet.Workload) (at fleet.Instant, what string) {
	switch {
	case w.Leaves():
		return w.GraceEnds, "the grace period of %s ends"
	case w == q.w, w.MaxRuntime == 0, w.Started == 0:
		return 0, ""
	}
	return w.Started.Add(w.MaxRuntime), "%s reaches the longest run time it declared"
}

// nodesReturn is the first moment at which nodes may count again: a probation
// or a dwell ends.
func (q *question) nodesReturn() Next {
	var next Next
	consider := func(at fleet.Instant, what string) {
		if at > q.now && (next.At == 0 || at < next.At) {
			next = Next{at, what}
		}
	}
	for _, n := range q.p.Nodes {
		if n.State == fleet.Probation {
			consider(n.Since.Add(q.s.Policy.Probation), "the probation of "+n.Name+" ends")
		}
	}
	for _, d := range q.p.Downs {
		if d.To != fleet.Never {
			consider(d.To.Add(q.s.Policy.Dwell), q.p.Nodes[d.Node].Name+" has stayed healthy long enough to be promised again")
		}
	}
	return next
}
