package fleet

import (
	"hash/fnv"
	"slices"
	"strings"
)

// Entity is a part of a node that a signal is about: GPU 3, NIC mlx5_0.
type Entity struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

func (e Entity) String() string { return strings.TrimSpace(e.Type + " " + e.Value) }

// EntityGPU is the type of entity that is one GPU of the node.
const EntityGPU = "GPU"

// Signal is what a monitor, or a person, says of a node's health: shaped like
// NVSentinel's HealthEvent, so that its monitors need no other contract.
type Signal struct {
	ID        string   // the monitor's name for this one; a signal sent twice counts once
	Agent     string   // who saw it
	Component string   // what kind of part: GPU, NIC, NVSwitch
	Check     string   // which check spoke: XIDErrors
	Node      string   //
	Entities  []Entity // the parts concerned; none: the node as a whole
	Codes     []string // as the part itself says: 79
	Fatal     bool     // the monitor thinks that the node cannot serve
	Well      bool     // the check passes (again); none of its parts named: for all of them
	StoreOnly bool     // kept and shown, never acted on
	Action    string   // what the monitor recommends
	Message   string
	At        Instant // when it was seen
}

// Sighting is signals that say the same, as the log keeps them: one, or several
// of one batch that differ in their moment alone.
type Sighting struct {
	Node      string   `json:"node"`
	Agent     string   `json:"agent"`
	Check     string   `json:"check"`
	Component string   `json:"component,omitempty"`
	Entities  []Entity `json:"entities,omitempty"`
	Codes     []string `json:"codes,omitempty"`
	Fatal     bool     `json:"fatal,omitempty"`
	Well      bool     `json:"well,omitempty"`
	StoreOnly bool     `json:"storeOnly,omitempty"`
	Action    string   `json:"action,omitempty"`
	Message   string   `json:"message,omitempty"` // of the last of them
	Seen      []Sight  `json:"seen"`              // in order of time
}

// Sight is one signal's identity and moment.
type Sight struct {
	ID   uint64  `json:"id"` // hash of the agent and its name for the signal
	At   Instant `json:"at"`
	Well bool    `json:"well,omitempty"`
}

// SightID is the identity under which a signal is remembered: 64 bits are
// enough where it is compared with a few of one node and check only.
func SightID(agent, id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(agent)) // a hash takes everything
	h.Write([]byte{0})
	h.Write([]byte(id))
	return h.Sum64()
}

// before orders sights by time, ties by identity, so that the order of arrival
// does not matter.
func (s Sight) before(o Sight) bool {
	if s.At != o.At {
		return s.At < o.At
	}
	return s.ID < o.ID
}

// EntityKey names the parts as one text, in order.
func EntityKey(entities []Entity) string {
	if len(entities) == 0 {
		return ""
	}
	names := make([]string, len(entities))
	for i, e := range entities {
		names[i] = e.String()
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
