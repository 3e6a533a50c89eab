package explain

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Code is the stable name of a reason (semantics §7).
type Code string

// The codes, in the order in which blockers of quota work are listed; on flex
// the order is GangTooLarge, FlexShare, Behind, Fragmented, FlexFull.
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

// Blocker is one thing that keeps a workload from starting. Figures are GPUs,
// except those whose name says nodes.
type Blocker struct {
	Code      Code
	Class     Class
	Partition string
	Figures   map[string]int
	Culprits  []string // workloads, nodes or clusters behind it
	Text      string   // one sentence for people
	Since     fleet.Instant
	Next      Next
	// Unsure: the search for nodes had to stop early, so it may fit even so.
	Unsure bool
}

// Next is the first moment at which something is known to change for the
// better; At is 0 where none can be known. What says what happens then.
type Next struct {
	At   fleet.Instant
	What string
}

// Answer is what can be said at all about whether a workload will start.
type Answer string

// The three answers. Impossible: no time helps, as things are. Waiting: time
// will do. NotKnown: there was no way, or no time, to find out.
const (
	Impossible Answer = "impossible"
	Waiting    Answer = "waiting"
	NotKnown   Answer = "not known"
)

// AnswerOf says what a list of blockers amounts to.
func AnswerOf(list []Blocker) Answer {
	for _, b := range list {
		if b.Code == NoSuchPartition || b.Code == GangTooLarge || b.Class == Change {
			return Impossible
		}
	}
	if slices.ContainsFunc(list, func(b Blocker) bool { return b.Unsure }) {
		return NotKnown
	}
	return Waiting
}

func block(code Code, p *fleet.Partition, figures map[string]int, culprits []string, format string, args ...any) Blocker {
	id := ""
	if p != nil {
		id = p.ID
	}
	return Blocker{Code: code, Class: classes[code], Partition: id, Figures: figures, Culprits: culprits, Text: fmt.Sprintf(format, args...)}
}

// of gives a blocker another class than its code has by itself.
func (b Blocker) of(class Class) Blocker {
	b.Class = class
	return b
}

// tried says so where not every way to pack several pools could be tried.
func (q *question) tried(b Blocker) Blocker {
	if b.Unsure = q.pl.Unsure(q.it); b.Unsure {
		b.Text += " Not every way to place its pools together was tried: whether one would do is not known."
	}
	return b
}

func (b Blocker) until(next Next) Blocker {
	b.Next = next
	return b
}
