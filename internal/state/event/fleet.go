package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// ClusterAdded says: a cluster joined the fleet.
type ClusterAdded struct {
	Cluster string     `json:"cluster"`
	Mode    fleet.Mode `json:"mode"`
}

// ClusterModeSet says: Muster acts on a cluster as far as this mode says.
type ClusterModeSet struct {
	Cluster string     `json:"cluster"`
	Mode    fleet.Mode `json:"mode"`
	Was     fleet.Mode `json:"was"`
}

// PartitionAdded says: a cluster has nodes of one more GPU model.
type PartitionAdded struct {
	Cluster     string `json:"cluster"`
	GPU         string `json:"gpu"`
	GPUsPerNode int    `json:"gpusPerNode"`
}

// IslandAdded says: a partition has one more island, still without nodes.
type IslandAdded struct {
	Partition string `json:"partition"`
	Island    string `json:"island"`
	Racks     int    `json:"racks"`
}

// NodesAdded says: healthy nodes joined an island. Racks holds each node's rack.
type NodesAdded struct {
	Partition string   `json:"partition"`
	Island    string   `json:"island"`
	Names     []string `json:"names"`
	Racks     []int    `json:"racks,omitempty"` // none: all in rack 0
}

// NodeChanged says: a node changed its state.
type NodeChanged struct {
	Partition string          `json:"partition"`
	Node      string          `json:"node"`
	From      fleet.NodeState `json:"from"`
	To        fleet.NodeState `json:"to"`
	Dead      int             `json:"dead,omitempty"`
	Signal    string          `json:"signal,omitempty"`
	// Since version 2: who keeps it in that state, and the checks that a validation must
	// hold before it returns.
	Owner fleet.StateOwner `json:"owner,omitempty"`
	Needs []string         `json:"needs,omitempty"`
	// Since version 3: planned work keeps it there, which is no failure of it; and the end of
	// a canary's soak.
	Planned bool          `json:"planned,omitempty"`
	Until   fleet.Instant `json:"until,omitempty"`
}

// ReportsStopped says: a cluster no longer reports; what is known of it is stale.
type ReportsStopped struct {
	Cluster string `json:"cluster"`
	// Why is said where no agent fell silent; "" where the reports just stopped.
	Why string `json:"why,omitempty"`
}

// ReportsResumed says: a cluster reports again.
type ReportsResumed struct {
	Cluster string `json:"cluster"`
}

// PolicySet says: the fleet's policy is now this.
type PolicySet struct {
	Policy fleet.Policy `json:"policy"`
}

// BufferSet says: the buffer policy of a cluster, partition or island is now this.
type BufferSet struct {
	Scope  string       `json:"scope"`
	Buffer fleet.Buffer `json:"buffer"`
}

// BufferCleared says: a cluster, partition or island has no buffer policy of its own any
// more, and the next wider one holds there.
type BufferCleared struct {
	Scope string `json:"scope"`
}

// BufferIn is the buffer policy that an event gives a scope, "" for the fleet; the zero Buffer takes its
// own away. ok is false for all other events.
func BufferIn(e Event) (scope string, b fleet.Buffer, ok bool) {
	switch e := e.(type) {
	case PolicySet:
		return "", e.Policy.Buffer, true
	case BufferSet:
		return e.Scope, e.Buffer, true
	case BufferCleared:
		return e.Scope, fleet.Buffer{}, true
	}
	return "", b, false
}

// TargetsSet says: a cluster's own targets are now these; what is zero is as the
// policy has it.
type TargetsSet struct {
	Cluster string        `json:"cluster"`
	Targets fleet.Targets `json:"targets"`
}

// IncidentOpened says: a sev began.
type IncidentOpened struct {
	Name     string   `json:"name"`
	Scope    string   `json:"scope,omitempty"`
	Severity string   `json:"severity,omitempty"`
	Nodes    []string `json:"nodes,omitempty"`
	// Since version 2: who works on it, and where it is written down.
	Owner string `json:"owner,omitempty"`
	Link  string `json:"link,omitempty"`
	// Since version 3: why it was opened.
	Reason string `json:"reason,omitempty"`
}

// IncidentUpdated says: what is known of a sev is now this. What it does not name
// stays as it was; Note is what has been found out.
type IncidentUpdated struct {
	Name     string    `json:"name"`
	Scope    *string   `json:"scope,omitempty"`
	Severity *string   `json:"severity,omitempty"`
	Owner    *string   `json:"owner,omitempty"`
	Link     *string   `json:"link,omitempty"`
	Nodes    *[]string `json:"nodes,omitempty"`
	Note     string    `json:"note,omitempty"`
}

// Kind is the event's stable name.
func (IncidentUpdated) Kind() string { return "incident.updated" }

// IncidentClosed says: a sev is over.
type IncidentClosed struct {
	Name string `json:"name"`
}

// Kind is the event's stable name.
func (ClusterAdded) Kind() string   { return "cluster.added" }    // Kind is the event's stable name.
func (ClusterModeSet) Kind() string { return "cluster.mode-set" } // Kind is the event's stable name.
func (PartitionAdded) Kind() string { return "partition.added" }  // Kind is the event's stable name.
func (IslandAdded) Kind() string    { return "island.added" }     // Kind is the event's stable name.
func (NodesAdded) Kind() string     { return "nodes.added" }      // Kind is the event's stable name.
func (NodeChanged) Kind() string    { return "node.changed" }     // Kind is the event's stable name.
func (ReportsStopped) Kind() string { return "reports.stopped" }  // Kind is the event's stable name.
func (ReportsResumed) Kind() string { return "reports.resumed" }  // Kind is the event's stable name.
func (PolicySet) Kind() string      { return "policy.set" }       // Kind is the event's stable name.
func (BufferSet) Kind() string      { return "buffer.set" }       // Kind is the event's stable name.
func (BufferCleared) Kind() string  { return "buffer.cleared" }   // Kind is the event's stable name.
func (TargetsSet) Kind() string     { return "targets.set" }      // Kind is the event's stable name.
func (IncidentOpened) Kind() string { return "incident.opened" }  // Kind is the event's stable name.
func (IncidentClosed) Kind() string { return "incident.closed" }  // Kind is the event's stable name.
