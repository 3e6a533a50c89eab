package fleet

import (
	"slices"
	"time"
)

// Measured is what the claims of updates are judged by (maintenance §6): when work was
// interrupted, and where visits were made under running work.
type Measured struct {
	Since         Instant        `json:"since"` // interruptions are counted from here on
	Interruptions []Interruption `json:"interruptions,omitempty"`
	Exposures     []Exposure     `json:"exposures,omitempty"`
}

// Interruption is work that a node lost.
type Interruption struct {
	Partition string  `json:"partition"`
	Node      int     `json:"node"` // index into Partition.Nodes
	At        Instant `json:"at"`
}

// Exposure is the time in which a visit that left its node in service may be what interrupts
// the work there.
type Exposure struct {
	Updates   []string `json:"updates"`
	Partition string   `json:"partition"`
	Node      int      `json:"node"`
	From      Instant  `json:"from"`
	To        Instant  `json:"to"` // Never while the visit is under way
}

// How long after its work a visit may be blamed, and how long what was measured is kept.
const (
	BlameFor    = 30 * time.Minute
	MeasuredFor = 7 * 24 * time.Hour
	mostKept    = 10_000 // of interruptions and of exposures
)

// Covers says whether an interruption falls into the exposure.
func (e *Exposure) Covers(i Interruption) bool {
	return e.Partition == i.Partition && e.Node == i.Node && e.From <= i.At && i.At <= e.To
}

// Interrupted keeps that work was lost with a node, where an update is known whose claim may
// be judged by it. What several workloads lose at one moment is one interruption.
func (s *State) Interrupted(p *Partition, node int, at Instant) {
	if s.Maintained == nil || s.Maintained.Measured.Since == 0 {
		return
	}
	m, one := &s.Maintained.Measured, Interruption{p.ID, node, at}
	s.lookAt(p)
	for i := len(m.Interruptions) - 1; i >= 0 && m.Interruptions[i].At == at; i-- {
		if m.Interruptions[i] == one {
			return
		}
	}
	if old := at.Add(-MeasuredFor); len(m.Interruptions) > 0 && m.Interruptions[0].At < old {
		m.Interruptions = slices.DeleteFunc(m.Interruptions, func(i Interruption) bool { return i.At < old })
		m.Exposures = slices.DeleteFunc(m.Exposures, func(e Exposure) bool { return e.To < old })
	}
	if len(m.Interruptions) < mostKept {
		m.Interruptions = append(m.Interruptions, one)
	}
}

// expose begins the exposure of a visit that is made under running work.
func (m *Maintained) expose(p *Partition, node int, v Visit) {
	if v.Quiet() && len(v.Updates) > 0 && p.Nodes[node].InUse() > 0 && len(m.Measured.Exposures) < mostKept {
		m.Measured.Exposures = append(m.Measured.Exposures, Exposure{v.Updates, p.ID, node, v.Began, Never})
	}
}

// exposed ends it, a while after the visit's work.
func (m *Maintained) exposed(p *Partition, node int, v Visit) {
	for i := range m.Measured.Exposures {
		if e := &m.Measured.Exposures[i]; e.Partition == p.ID && e.Node == node && e.To == Never {
			e.To = v.Since.Add(BlameFor)
		}
	}
}

func (m *Measured) clone() Measured {
	c := *m
	c.Interruptions, c.Exposures = slices.Clone(m.Interruptions), slices.Clone(m.Exposures)
	return c
}
