package explain

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Blocker is one thing that keeps a workload from starting. Figures are GPUs,
// except those whose name says nodes.
type Blocker struct {
	Code      reason.Code
	Class     reason.Class
	Partition string
	Figures   map[string]int
	Culprits  []string // workloads, nodes or clusters behind it
	Others    int      // so many more workloads, which the reader may not read
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
		if b.Code == reason.NoSuchPartition || b.Code == reason.GangTooLarge || b.Class == reason.Change {
			return Impossible
		}
	}
	if slices.ContainsFunc(list, func(b Blocker) bool { return b.Unsure }) {
		return NotKnown
	}
	return Waiting
}

func block(code reason.Code, p *fleet.Partition, figures map[string]int, culprits []string, format string, args ...any) Blocker {
	id := ""
	if p != nil {
		id = p.ID
	}
	return Blocker{Code: code, Class: reason.Of(code).Class, Partition: id, Figures: figures, Culprits: culprits, Text: begin(fmt.Sprintf(format, args...))}
}

// by says which work is behind a blocker.
func (b Blocker) by(work named) Blocker {
	b.Culprits, b.Others = append(b.Culprits, work.names[:min(len(work.names), most)]...), work.others
	return b
}

// of gives a blocker another class than its code has by itself.
func (b Blocker) of(class reason.Class) Blocker {
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
