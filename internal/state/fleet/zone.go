package fleet

import (
	"slices"
	"sort"
)

// Span is a stretch of time: from its first moment up to, and without, its last.
type Span struct {
	From Instant `json:"from"`
	To   Instant `json:"to"`
}

// Meets says whether two stretches have a moment in common.
func (s Span) Meets(o Span) bool { return s.From < o.To && o.From < s.To }

// Zone is a no-fly zone: it forbids visits of some impacts in a scope (maintenance §4).
type Zone struct {
	Name      string   `json:"name"`
	Scope     string   `json:"scope,omitempty"`     // fleet, cluster, partition, partition/island or quota path
	Namespace string   `json:"namespace,omitempty"` // with Workload: it follows the nodes of this workload
	Workload  string   `json:"workload,omitempty"`
	Spans     []Span   `json:"spans"` // in order of time; a recurrence is drawn out where it is read
	Recur     string   `json:"recur,omitempty"`
	TimeZone  string   `json:"timeZone,omitempty"`
	Blocks    []Impact `json:"blocks"`
	ZoneRecord
}

// ZoneRecord is who wants a zone, and what became of it.
type ZoneRecord struct {
	Reason string  `json:"reason,omitempty"`
	Owner  string  `json:"owner,omitempty"`
	Link   string  `json:"link,omitempty"`
	By     string  `json:"by,omitempty"`
	Added  Instant `json:"added,omitempty"`
	Ended  Instant `json:"ended,omitempty"` // by people, before its time
}

// Stops says whether the zone forbids visits of an impact.
func (z *Zone) Stops(i Impact) bool { return z.Ended == 0 && slices.Contains(z.Blocks, i) }

// Over is the first stretch of the zone that has a moment in common with one, or false.
func (z *Zone) Over(s Span) (Span, bool) {
	at := sort.Search(len(z.Spans), func(i int) bool { return z.Spans[i].To > s.From })
	if z.Ended != 0 || at == len(z.Spans) || !z.Spans[at].Meets(s) {
		return Span{}, false
	}
	return z.Spans[at], true
}

// Active says whether the zone is in force at a moment.
func (z *Zone) Active(now Instant) bool {
	_, ok := z.Over(Span{now, now + 1})
	return ok
}

// NextEdge is the next moment after now at which the zone begins or ends, or Never.
func (z *Zone) NextEdge(now Instant) Instant {
	at := sort.Search(len(z.Spans), func(i int) bool { return z.Spans[i].To > now })
	switch {
	case z.Ended != 0 || at == len(z.Spans):
		return Never
	case z.Spans[at].From > now:
		return z.Spans[at].From
	}
	return z.Spans[at].To
}
