package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Impact is what an update does to the work on its node (maintenance §1).
type Impact string

// The impacts, the mildest first.
const (
	ImpactNone    Impact = "none"
	ImpactFreeze  Impact = "freeze"  // the node pauses
	ImpactRestart Impact = "restart" // the node restarts
	ImpactReplace Impact = "replace" // another machine comes back
)

// Impacts lists every impact, the mildest first.
func Impacts() []Impact { return []Impact{ImpactNone, ImpactFreeze, ImpactRestart, ImpactReplace} }

// Disturbs says whether work on the node notices: such a visit drains its node.
func (i Impact) Disturbs() bool { return i != ImpactNone }

// Over says whether the impact is graver than another.
func (i Impact) Over(o Impact) bool { return slices.Index(Impacts(), i) > slices.Index(Impacts(), o) }

// Component is something on a node that is updated, with the version that it runs.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Runs is what a node runs: its configuration, in order of component. It is never changed
// in place, so that copies of a state may share it.
type Runs []Component

// Version is the version of a component; "": it is not known to run here.
func (r Runs) Version(component string) string {
	for _, c := range r {
		if c.Name == component {
			return c.Version
		}
	}
	return ""
}

// With is the configuration after some components were brought to versions.
func (r Runs) With(brought ...Component) Runs {
	next := slices.Clone(r)
	for _, b := range brought {
		if at := slices.IndexFunc(next, func(c Component) bool { return c.Name == b.Name }); at >= 0 {
			next[at] = b
		} else {
			next = append(next, b)
		}
	}
	slices.SortFunc(next, func(a, b Component) int { return strings.Compare(a.Name, b.Name) })
	return next
}

// Has says whether all these components run at these versions.
func (r Runs) Has(want []Component) bool {
	return !slices.ContainsFunc(want, func(c Component) bool { return r.Version(c.Name) != c.Version })
}

// Hash names the configuration: the first 12 hex digits of the SHA-256 of its sorted list.
func (r Runs) Hash() string {
	h := sha256.New()
	for _, c := range r {
		fmt.Fprintf(h, "%q=%q\n", c.Name, c.Version)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// String is the configuration as people read it.
func (r Runs) String() string {
	parts := make([]string, len(r))
	for i, c := range r {
		parts[i] = c.Name + " " + c.Version
	}
	return strings.Join(parts, ", ")
}

// Verdict says what is known of a configuration on a GPU model (maintenance §1).
type Verdict string

// The verdicts.
const (
	Untested Verdict = "untested"
	Proven   Verdict = "proven"   // enough canaries ran it for their soak
	Rejected Verdict = "rejected" // a canary failed
)

// Proof is the verdict on a configuration for a GPU model.
type Proof struct {
	GPU     string   `json:"gpu"`
	Runs    Runs     `json:"runs"`
	Hash    string   `json:"hash"`
	Verdict Verdict  `json:"verdict"`
	At      Instant  `json:"at"`
	Nodes   []string `json:"nodes,omitempty"` // the canaries behind it
	Why     string   `json:"why,omitempty"`
}
