package forecast

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Answer says when a waiting workload should start. It is "known" or "not
// known"; it never says "never".
type Answer struct {
	Known bool // P50 and P90 mean something; if not, Unknown says why
	// P50 and P90 are moments by which the workload starts with a probability of
	// one half, and of nine tenths. Asked-at ≤ P50 ≤ P90.
	P50, P90 fleet.Instant
	// Latest is the start if everything uses all of its declared maximum run
	// time and nothing else comes; 0 where that is not known.
	Latest fleet.Instant
	// RestsOn is what has to happen first, on the path in the middle: what makes
	// room last stands first. At most MaxGrounds.
	RestsOn []Ground
	// Unknown is why it is not known, at most MaxGrounds; More counts the others.
	Unknown []Ground
	More    int
	// Came is how far the search came, where Unknown says TooFar.
	Came Progress
}

// Progress is how far a search came that had to stop early. What it did not play through
// is not known.
type Progress struct {
	Played, Of int           // paths that were played to their ends, and all of them
	Until      fleet.Instant // the latest moment that one of the others came to; 0: none came anywhere
}

// MaxGrounds bounds how many grounds an answer lists.
const MaxGrounds = 10

// Kind says what sort of thing a forecast rests on, or lacks.
type Kind string

// What a forecast rests on.
const (
	RunTime     Kind = "run time"     // the declared maximum run time of a running workload
	Queued      Kind = "queued"       // that of a workload that waits too, and runs first
	Grace       Kind = "grace"        // a victim's grace period
	Repair      Kind = "repair"       // a node is expected back, as others came back
	Visited     Kind = "maintenance"  // a node's maintenance is over, if it takes what it is said to
	Probation   Kind = "probation"    // a node's probation ends
	GrantEnd    Kind = "grant end"    // part of a grant was for a time, and ends
	HoldExpiry  Kind = "hold expiry"  // a hold's last moment
	Dwell       Kind = "dwell"        // capacity may be promised again after the dwell
	FlexMinimum Kind = "flex minimum" // the minimum run time of flex work is over
	Rest        Kind = "rest"         // it was evicted too often within an hour, and rests no longer
)

// Why a forecast is not known.
const (
	NoMaximum    Kind = "no maximum"     // a workload in the way declares no maximum run time
	Overran      Kind = "overran"        // a workload in the way runs past what it declared
	NoRepairTime Kind = "no repair time" // a node is out of service, and its return is not known
	NotReady     Kind = "not ready"      // the cluster's reports are stale, or it is not in mode enforce
	NothingAhead Kind = "nothing ahead"  // nothing that is known to come would let it start: see its reason
	TooFar       Kind = "too far"        // the search had to stop early
	NotWaiting   Kind = "not waiting"    // it runs or has ended: there is nothing to forecast
)

// Ground is one thing that a forecast rests on, or lacks.
type Ground struct {
	Kind Kind
	Name string        // namespace/name of a workload, a node, the quota of a hold, a cluster; "" where there is none
	GPUs int           // that it holds or brings; 0 where that says nothing
	At   fleet.Instant // when it happens on the path in the middle; 0 where it does not
	By   fleet.Instant // at the latest, as declared; 0 where none is declared
}

// Options of When and All; the zero value is the usual.
type Options struct {
	// History is what is known of how long things really take; nil: what the
	// state itself remembers.
	History *History
	// Book holds past forecasts and what came of them, which correct this one; nil: no correction.
	Book *Book
	// Paths is how many futures are tried, fewer where the fleet is so large that
	// copying it alone would use up the steps; 0 means DefaultPaths.
	Paths int
	// Steps bounds the decisions on all paths together; 0 means DefaultSteps.
	// What needs more is not known.
	Steps int
	// Most bounds the nodes and workloads of the part of the fleet that bears on the
	// question; 0: none. Of more the answer is not known: copying them would take too long.
	Most int
	// Stop is asked before each decision, and says that no more may be made; nil: never.
	Stop func() bool
	// Arena has the copies on which paths live, one after the other; nil: one of the question's own.
	Arena *fleet.Arena
}

// DefaultPaths and DefaultSteps are used where Options say nothing.
const (
	DefaultPaths = 19
	DefaultSteps = 200_000
)

// Asked is an answer with whom it was about, and when.
type Asked struct {
	Workload uint64
	At       fleet.Instant
	Answer   Answer

	raw moments // before the book's correction
}
