package maintenance

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// QuotaOf is the tree of quotas whose nodes a zone follows: that of its quota, or of its workload's; "": it covers a place.
func QuotaOf(s *fleet.State, z *fleet.Zone) string {
	switch {
	case !ofPeople(s, z):
		return ""
	case z.Workload == "":
		return fleet.TreeOf(z.Scope)
	}
	if w := s.Workload(z.Namespace, z.Workload); w != nil && !w.Flexes() {
		return fleet.TreeOf(w.Target)
	}
	return ""
}

// ZoneDays is for how long of a stretch of time zones follow the nodes of a tree of quotas (maintenance §4). Zones that
// overlap count once, and one that people ended counts until then. The zones are those there are, and some more.
func ZoneDays(s *fleet.State, tree string, in fleet.Span, more ...*fleet.Zone) (sum time.Duration) {
	var spans []fleet.Span
	for _, z := range slices.Concat(s.Kept().Zones, more) {
		if QuotaOf(s, z) == tree {
			spans = append(spans, inForce(z, in)...)
		}
	}
	slices.SortFunc(spans, func(a, b fleet.Span) int { return int(min(1, max(-1, a.From-b.From))) })
	end := in.From
	for _, span := range spans {
		if from := max(end, span.From); from < span.To {
			sum, end = sum+span.To.Sub(from), span.To
		}
	}
	return sum
}

// inForce is when a zone is in force inside a stretch of time.
func inForce(z *fleet.Zone, in fleet.Span) (spans []fleet.Span) {
	if z.Ended != 0 {
		in.To = min(in.To, z.Ended)
	}
	for _, span := range z.Spans {
		if span.Meets(in) {
			spans = append(spans, fleet.Span{From: max(span.From, in.From), To: min(span.To, in.To)})
		}
	}
	return spans
}

// QuarterOf is the calendar quarter of a moment, in UTC.
func QuarterOf(at fleet.Instant) fleet.Span {
	t := at.Time()
	first := time.Date(t.Year(), (t.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	return fleet.Span{From: fleet.InstantOf(first), To: fleet.InstantOf(first.AddDate(0, 3, 0))}
}
