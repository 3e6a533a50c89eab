package fleet

import (
	"slices"
	"time"
)

// Measured is what the claims of updates are judged by (maintenance §6): when work was
// interrupted, and where visits are made under running work.
type Measured struct {
	Since         Instant        `json:"since"` // interruptions are counted from here on
	Interruptions []Interruption `json:"interruptions,omitempty"`
	Exposures     []Exposure     `json:"exposures,omitempty"` // those that may still be blamed
	Lengths       []Length       `json:"lengths,omitempty"`   // of visits, in order of the first of each
}

// Interruption is work that a node lost.
type Interruption struct {
	Partition string   `json:"partition"`
	Node      int      `json:"node"` // index into Partition.Nodes
	At        Instant  `json:"at"`
	Busy      int      `json:"busy,omitempty"`   // nodes of the partition that had work then
	Blames    []string `json:"blames,omitempty"` // updates whose visit of the node was under way, or just over
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

// Tried is how the claim of an update was put to the test so far.
type Tried struct {
	Visits   int           `json:"visits"`       // under running work
	Took     time.Duration `json:"took"`         // node time of those that may be blamed no longer
	In       []string      `json:"in,omitempty"` // the partitions of all
	Evidence Disturbance   `json:"evidence,omitzero"`
}

// Disturbance is what was measured of an update up to the moment when work under one of its visits was interrupted last.
type Disturbance struct {
	Visits    int     `json:"visits"`
	Disturbed int     `json:"disturbed"` // interruptions under all its visits
	Hours     float64 `json:"hours"`     // node-hours under them
	Others    int     `json:"others"`    // interruptions of the same partitions besides, in the last seven days
	Besides   float64 `json:"besides"`   // node-hours with work there
}

// Expected is how many interruptions the visits' hours would have seen without them.
func (e Disturbance) Expected() float64 {
	if e.Besides <= 0 {
		return 0
	}
	return float64(e.Others) / e.Besides * e.Hours
}

// How long after its work a visit may be blamed, and how long interruptions are kept.
const (
	BlameFor    = 30 * time.Minute
	MeasuredFor = 7 * 24 * time.Hour
	mostKept    = 10_000 // of interruptions
)

// covers says whether an interruption falls into the exposure.
func (e *Exposure) covers(i Interruption) bool {
	return e.Partition == i.Partition && e.Node == i.Node && e.From <= i.At && i.At <= e.To
}

// Interrupted keeps that work was lost with a node, where an update is known whose claim may
// be judged by it. What several workloads lose at one moment is one interruption.
func (s *State) Interrupted(p *Partition, node int, at Instant) {
	if s.Maintained == nil || s.Maintained.Measured.Since == 0 {
		return
	}
	m := &s.Maintained.Measured
	s.lookAt(p)
	for i := len(m.Interruptions) - 1; i >= 0 && m.Interruptions[i].At == at; i-- {
		if m.Interruptions[i].Partition == p.ID && m.Interruptions[i].Node == node {
			return
		}
	}
	s.Maintained.forget(at)
	one := m.blame(Interruption{Partition: p.ID, Node: node, At: at, Busy: p.busyNodes()})
	if len(m.Interruptions) < mostKept {
		m.Interruptions = append(m.Interruptions, one)
	}
	for _, name := range one.Blames {
		s.Maintained.tried(name, func(t *Tried) { t.Evidence = m.evidence(s, name, t, at) })
	}
}

// busyNodes counts the nodes with work.
func (p *Partition) busyNodes() (n int) {
	for _, x := range p.Nodes {
		if x.InUse() > 0 {
			n++
		}
	}
	return n
}

// forget lets go of interruptions that are too old, and of visits that may be blamed no longer: these stay in the account
// of their updates.
func (m *Maintained) forget(at Instant) {
	old := at.Add(-MeasuredFor)
	if l := m.Measured.Interruptions; len(l) > 0 && l[0].At < old {
		m.Measured.Interruptions = slices.DeleteFunc(slices.Clone(l), func(i Interruption) bool { return i.At < old })
	}
	var still []Exposure
	for _, e := range m.Measured.Exposures {
		if e.To >= at {
			still = append(still, e)
			continue
		}
		for _, name := range e.Updates {
			m.tried(name, func(t *Tried) { t.Took += e.To.Sub(e.From) })
		}
	}
	m.Measured.Exposures = still
}

// tried changes how an update's claim was put to the test.
func (m *Maintained) tried(name string, edit func(*Tried)) {
	at := slices.IndexFunc(m.Updates, func(u *NodeUpdate) bool { return u.Name == name })
	if at < 0 {
		return
	}
	u := *m.Updates[at]
	edit(&u.Record.Tried)
	m.Updates[at] = &u
}

// blame names the updates whose visits may be what interrupted work, each once.
func (m *Measured) blame(i Interruption) Interruption {
	for _, e := range m.Exposures {
		if e.covers(i) {
			i.Blames = append(i.Blames, e.Updates...)
		}
	}
	slices.Sort(i.Blames)
	i.Blames = slices.Compact(i.Blames)
	return i
}

// evidence is what speaks of an update at the moment of one more interruption under its visits. What its visits are compared
// with are the nodes with work: others lose none.
func (m *Measured) evidence(s *State, name string, t *Tried, at Instant) Disturbance {
	e := Disturbance{Visits: t.Visits, Disturbed: t.Evidence.Disturbed + 1, Hours: t.Took.Hours()}
	for _, x := range m.Exposures {
		if slices.Contains(x.Updates, name) {
			e.Hours += min(x.To, at).Sub(x.From).Hours()
		}
	}
	window := at.Sub(max(m.Since, at.Add(-MeasuredFor))).Hours()
	for _, id := range t.In {
		others, busy := m.besides(s.Partition(id), name)
		e.Others += others
		e.Besides += busy * window
	}
	e.Besides -= e.Hours
	return e
}

// besides counts the interruptions of a partition that are not an update's, and says how many of its nodes had work on average
// when one was interrupted.
func (m *Measured) besides(p *Partition, name string) (others int, busy float64) {
	if p == nil {
		return 0, 0
	}
	seen, n := 0, 0
	for _, i := range m.Interruptions {
		if i.Partition != p.ID {
			continue
		}
		if i.Busy > 0 {
			seen, n = seen+i.Busy, n+1
		}
		if !slices.Contains(i.Blames, name) {
			others++
		}
	}
	if n == 0 {
		return others, float64(len(p.Nodes))
	}
	return others, float64(seen) / float64(n)
}

// expose begins the exposure of a visit that is made under running work.
func (m *Maintained) expose(p *Partition, node int, v Visit) {
	if !v.Quiet() || len(v.Updates) == 0 || p.Nodes[node].InUse() == 0 {
		return
	}
	if l := m.Measured.Exposures; len(l) > 0 && l[0].To < v.Began {
		m.forget(v.Began)
	}
	m.Measured.Exposures = append(m.Measured.Exposures, Exposure{v.Updates, p.ID, node, v.Began, Never})
	for _, name := range v.Updates {
		m.tried(name, func(t *Tried) {
			if t.Visits++; !slices.Contains(t.In, p.ID) {
				t.In = append(slices.Clip(t.In), p.ID)
			}
		})
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
	c.Interruptions, c.Exposures, c.Lengths = slices.Clone(m.Interruptions), slices.Clone(m.Exposures), slices.Clone(m.Lengths)
	return c
}
