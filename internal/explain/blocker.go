package explain

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/fleet"
)

// Code is the stable name of a reason (semantics §7).
type Code string

// The codes, in the order in which blockers are listed.
const (
	NoSuchPartition Code = "NoSuchPartition"
	ClusterNotReady Code = "ClusterNotReady"
	GangTooLarge    Code = "GangTooLarge"
	FlexShare       Code = "FlexShare"
	Held            Code = "Held"
	Behind          Code = "Behind"
	QuotaUnbacked   Code = "QuotaUnbacked"
	TreeFull        Code = "TreeFull"
	QuotaFull       Code = "QuotaFull"
	Fragmented      Code = "Fragmented"
	Evicting        Code = "Evicting"
	FlexFull        Code = "FlexFull"
)

// Class says who can do something about a blocker.
type Class string

// The classes of blockers.
const (
	Wait   Class = "wait"   // time will do
	Change Class = "change" // the submitter can
	Ask    Class = "ask"    // a quota owner or operator can
	Fault  Class = "fault"  // something is broken
)

var classes = map[Code]Class{
	NoSuchPartition: Change, ClusterNotReady: Fault, GangTooLarge: Change, FlexShare: Wait, Held: Ask,
	Behind: Wait, QuotaUnbacked: Ask, TreeFull: Wait, QuotaFull: Wait, Fragmented: Wait, Evicting: Wait, FlexFull: Wait,
}

// Blocker is one thing that keeps a workload from starting. Figures are GPUs.
type Blocker struct {
	Code      Code
	Class     Class
	Partition string
	Figures   map[string]int
	Culprits  []string // workloads, nodes or clusters behind it
	Text      string   // one sentence for people
	Since     fleet.Instant
}

func block(code Code, p *fleet.Partition, figures map[string]int, culprits []string, format string, args ...any) Blocker {
	id := ""
	if p != nil {
		id = p.ID
	}
	return Blocker{Code: code, Class: classes[code], Partition: id, Figures: figures, Culprits: culprits, Text: fmt.Sprintf(format, args...)}
}
