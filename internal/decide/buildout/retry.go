package buildout

import (
	"hash/fnv"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Pauses between tries, and how often what is unknown is tried (cluster-life.md §3.5).
const (
	FirstPause   = 10 * time.Second
	LongestPause = 30 * time.Minute
	WaitPause    = time.Minute // the first one where the outside is waited for
	UnknownTries = 5
)

// Failure is what an operation that failed, or would not begin, says.
type Failure struct {
	Operation string
	Class     fleet.ErrorClass
	Error     string
	After     time.Duration // the outside's own hint; 0: it gave none
}

// After says what a failure means for the next try of its step.
func After(was fleet.Trouble, f Failure, now fleet.Instant) fleet.Trouble {
	t := fleet.Trouble{Class: f.Class, Error: f.Error, Failures: was.Failures + 1}
	switch {
	case f.Class.Parks():
		t.Parked = true
	case f.Class == fleet.ErrorUnknown && t.Failures >= UnknownTries:
		t.Parked = true
	case f.Class == fleet.ErrorWait && f.After > 0:
		t.Next = now.Add(f.After)
	case f.Class == fleet.ErrorWait:
		t.Next = now.Add(pause(WaitPause, t.Failures, f.Operation))
	default:
		t.Next = now.Add(max(f.After, pause(FirstPause, t.Failures, f.Operation)))
	}
	return t
}

// pause doubles with every failure, up to the longest. A fifth of it is spread by the
// name of the operation, so that many that failed at once are not repeated at once.
func pause(first time.Duration, failures int, operation string) time.Duration {
	d := first
	for i := 1; i < failures && d < LongestPause; i++ {
		d *= 2
	}
	d = min(d, LongestPause)
	h := fnv.New32a()
	_, _ = h.Write([]byte(operation))
	return d - d/5*time.Duration(h.Sum32()%1000)/1000
}
