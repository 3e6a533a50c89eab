package fleet

import (
	"slices"
	"strings"
)

// What a node remembers of its signals is bounded: so many conditions, and of
// each so many of the latest sights. Older ones are in the log.
const (
	ConditionMemory = 32
	SightMemory     = 16
	FaultMemory     = 32
	FlapMemory      = 8
)

// NodeHealth is what a node remembers of the signals about it.
type NodeHealth struct {
	Conditions []*Condition `json:"conditions,omitempty"` // in order of key
	// Clean: what was seen up to then no longer counts, because a validation
	// passed or a person took the node back into service.
	Clean      Instant     `json:"clean,omitempty"`
	Needs      []string    `json:"needs,omitempty"`  // checks that a validation must have passed before the node returns
	Before     NodeState   `json:"before,omitempty"` // where a suspect returns to, when it is over
	Flaps      []Instant   `json:"flaps,omitempty"`  // when automation made it suspect, oldest first
	Faults     []Fault     `json:"faults,omitempty"` // oldest first
	Validation *Validation `json:"validation,omitempty"`
}

// Condition is what one check of one agent says of one part of a node.
type Condition struct {
	Agent     string   `json:"agent"`
	Check     string   `json:"check"`
	Component string   `json:"component,omitempty"`
	Entities  []Entity `json:"entities,omitempty"`
	Codes     []string `json:"codes,omitempty"`
	Fatal     bool     `json:"fatal,omitempty"`
	StoreOnly bool     `json:"storeOnly,omitempty"`
	Action    string   `json:"action,omitempty"`
	Message   string   `json:"message,omitempty"`
	Sightings
}

// Sightings are when the condition was seen.
type Sightings struct {
	Since   Instant `json:"since"`             // of the first sight since it was last well
	Last    Instant `json:"last"`              // of the latest sight
	Cleared Instant `json:"cleared,omitempty"` // when the check was last seen to pass
	Count   int     `json:"count"`             // sights ever, without those that came later than SightMemory others
	Seen    []Sight `json:"seen"`              // the latest, in order of time
}

// Fault is a time at which a node fell out of service.
type Fault struct {
	At     Instant `json:"at"`
	Back   Instant `json:"back,omitempty"` // when it was in service again; 0: not yet
	Signal string  `json:"signal,omitempty"`
	Again  bool    `json:"again,omitempty"` // during the probation that followed another: the same fault, not mended
}

// Validation is a record of checks that a node passed, or did not.
type Validation struct {
	At     Instant  `json:"at"`
	Passed bool     `json:"passed"`
	Checks []string `json:"checks,omitempty"`
	Note   string   `json:"note,omitempty"`
}

// Signature names what a condition says whatever the node and the part: many
// nodes with one signature within minutes have one cause.
func (c *Condition) Signature() string {
	if len(c.Codes) == 0 {
		return c.Agent + " " + c.Check
	}
	return c.Agent + " " + c.Check + " " + strings.Join(c.Codes, ",")
}

func (c *Condition) key() string {
	return c.Agent + "\x00" + c.Check + "\x00" + EntityKey(c.Entities) + "\x00" + strings.Join(c.Codes, ",")
}

// Live says whether the check fails as far as anybody knows.
func (h *NodeHealth) Live(c *Condition) bool {
	return c.Last > c.Cleared && c.Last > h.Clean
}

// Times counts the sights after a moment that still count.
func (h *NodeHealth) Times(c *Condition, after Instant) int {
	n := 0
	for _, s := range c.Seen {
		if !s.Well && s.At > after && s.At > h.Clean && s.At > c.Cleared {
			n++
		}
	}
	return n
}

// clears says whether a sighting that a check passes is about the condition.
func (c *Condition) clears(s Sighting) bool {
	return c.Agent == s.Agent && c.Check == s.Check &&
		(len(s.Entities) == 0 || EntityKey(s.Entities) == EntityKey(c.Entities)) &&
		(len(s.Codes) == 0 || slices.Equal(s.Codes, c.Codes))
}

// Known says whether a signal was taken before, or is so old that what it says
// is no news. The conditions concerned are those that it would change.
func (n *Node) Known(s Sighting, sight Sight) bool {
	concerned := n.concerned(s)
	for _, c := range concerned {
		if !c.remembers(sight) {
			return false
		}
	}
	// That a check passes which never failed is no news either.
	return len(concerned) > 0 || s.Well
}

func (c *Condition) remembers(sight Sight) bool {
	for _, s := range c.Seen {
		if s.ID == sight.ID {
			return true
		}
	}
	return len(c.Seen) == SightMemory && sight.before(c.Seen[0])
}

func (n *Node) concerned(s Sighting) []*Condition {
	if n.Health == nil {
		return nil
	}
	if s.Well {
		var list []*Condition
		for _, c := range n.Health.Conditions {
			if c.clears(s) {
				list = append(list, c)
			}
		}
		return list
	}
	for i, c := range n.Health.Conditions {
		if c.Check == s.Check && c.Agent == s.Agent && slices.Equal(c.Codes, s.Codes) && slices.Equal(c.Entities, s.Entities) {
			return n.Health.Conditions[i : i+1]
		}
	}
	return nil
}

// see takes a sighting into the node's memory. What the memory says in the end
// does not depend on the order in which sightings come, as long as no more of
// them come than it holds.
func (n *Node) see(s Sighting) {
	if n.Health == nil {
		n.Health = &NodeHealth{}
	}
	concerned := n.concerned(s)
	if len(concerned) == 0 && !s.Well {
		c := &Condition{Agent: s.Agent, Check: s.Check, Component: s.Component, Entities: s.Entities, Codes: s.Codes}
		n.Health.add(c)
		concerned = []*Condition{c}
	}
	for _, c := range concerned {
		for _, sight := range s.Seen {
			sight.Well = s.Well
			c.see(s, sight)
		}
	}
}

func (c *Condition) see(s Sighting, sight Sight) {
	if c.remembers(sight) {
		return
	}
	at := len(c.Seen)
	for at > 0 && sight.before(c.Seen[at-1]) {
		at--
	}
	c.Seen = slices.Insert(c.Seen, at, sight)
	if len(c.Seen) > SightMemory {
		c.Seen = slices.Delete(c.Seen, 0, 1)
	}
	if sight.Well {
		c.Cleared = max(c.Cleared, sight.At)
	} else {
		c.Count++
		if sight.At >= c.Last {
			c.Last, c.Fatal, c.StoreOnly, c.Action, c.Message = sight.At, s.Fatal, s.StoreOnly, s.Action, s.Message
		}
	}
	c.begin()
}

// begin says since when the check has failed without being seen to pass.
func (c *Condition) begin() {
	first := Instant(0)
	for _, s := range c.Seen {
		if !s.Well && s.At > c.Cleared {
			first = s.At
			break
		}
	}
	forgotten := len(c.Seen) == SightMemory && c.Since > c.Cleared && c.Since != 0
	switch {
	case first == 0:
		c.Since = max(c.Since, min(c.Last, c.Cleared))
	case forgotten:
		c.Since = min(c.Since, first)
	default:
		c.Since = first
	}
}

// add keeps a new condition; where there are too many, those that no longer fail
// go first, then the ones not seen for the longest time.
func (h *NodeHealth) add(c *Condition) {
	if len(h.Conditions) >= ConditionMemory {
		h.forget()
	}
	at, _ := slices.BinarySearchFunc(h.Conditions, c.key(), func(x *Condition, key string) int {
		return strings.Compare(x.key(), key)
	})
	h.Conditions = slices.Insert(h.Conditions, at, c)
}

func (h *NodeHealth) forget() {
	gone := 0
	for i, c := range h.Conditions {
		g := h.Conditions[gone]
		if a, b := h.Live(c), h.Live(g); a != b {
			if !a {
				gone = i
			}
		} else if c.Last < g.Last {
			gone = i
		}
	}
	h.Conditions = slices.Delete(h.Conditions, gone, gone+1)
}

func (h *NodeHealth) clone() *NodeHealth {
	if h == nil {
		return nil
	}
	c := *h
	c.Conditions = clonePointers(h.Conditions)
	for _, x := range c.Conditions {
		x.Seen = slices.Clone(x.Seen)
	}
	c.Flaps, c.Faults = slices.Clone(h.Flaps), slices.Clone(h.Faults)
	return &c
}
