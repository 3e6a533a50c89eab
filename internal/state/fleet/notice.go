package fleet

import (
	"slices"
	"time"
)

// Notice is a maintenance at a fixed moment that brings no update (maintenance §1). A provider's begins
// at its moment; one that people announce waits for zones and promises.
type Notice struct {
	Name     string        `json:"name"`
	Nodes    []string      `json:"nodes"`
	Starts   Instant       `json:"starts"`
	Lasts    time.Duration `json:"lasts"`
	Impact   Impact        `json:"impact"`
	Freeze   time.Duration `json:"freeze,omitempty"` // of an impact freeze: how long the nodes pause at most; 0: not known
	Provider bool          `json:"provider,omitempty"`
	By       string        `json:"by,omitempty"`
	Added    Instant       `json:"added"`
	Ended    Instant       `json:"ended,omitempty"` // cancelled, or over
	// Cancelled: it was taken back; visits that had begun are finished.
	Cancelled bool     `json:"cancelled,omitempty"`
	Over      []string `json:"over,omitempty"` // nodes whose visit has ended
}

// Waits says whether a visit of a node is still to come.
func (n *Notice) Waits(node string) bool {
	return n.Ended == 0 && slices.Contains(n.Nodes, node) && !slices.Contains(n.Over, node)
}
