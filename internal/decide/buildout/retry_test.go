package buildout

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestWhatAFailureMeansForTheNextTry(t *testing.T) {
	const now = fleet.Instant(1_800_000_000 * int64(time.Second))
	for _, c := range []struct {
		says        string
		before      int // failures
		failure     Failure
		least, most time.Duration // until the next try; 0: a person must act
	}{
		{"what must be mended waits for a person", 0, Failure{Class: fleet.ErrorFix}, 0, 0},
		{"what a person must decide waits for a person", 0, Failure{Class: fleet.ErrorPerson}, 0, 0},
		{"an unknown error is tried again within 10 seconds", 0, Failure{Class: fleet.ErrorUnknown}, 8 * time.Second, 10 * time.Second},
		{"each pause is twice the one before", 3, Failure{Class: fleet.ErrorUnknown}, 64 * time.Second, 80 * time.Second},
		{"after the fifth try of an unknown error a person must act", UnknownTries - 1, Failure{Class: fleet.ErrorUnknown}, 0, 0},
		{"what waits for the outside is asked within a minute", 0, Failure{Class: fleet.ErrorWait}, 48 * time.Second, time.Minute},
		{"and then less often", 2, Failure{Class: fleet.ErrorWait}, 192 * time.Second, 4 * time.Minute},
		{"but twice an hour at least, however long it lasts", 50, Failure{Class: fleet.ErrorWait}, 24 * time.Minute, LongestPause},
		{"the outside says when to ask again", 7, Failure{Class: fleet.ErrorWait, After: 5 * time.Second}, 5 * time.Second, 5 * time.Second},
		{"after an error its hint counts where it is longer", 0, Failure{Class: fleet.ErrorUnknown, After: time.Hour}, time.Hour, time.Hour},
		{"and not where it is shorter", 3, Failure{Class: fleet.ErrorUnknown, After: time.Second}, 64 * time.Second, 80 * time.Second},
	} {
		c.failure.Operation = "infrastructure/tiger/1"
		got := After(fleet.Trouble{Failures: c.before}, c.failure, now)
		if got.Failures != c.before+1 || got.Class != c.failure.Class {
			t.Errorf("%s: %d failures of class %s", c.says, got.Failures, got.Class)
		}
		if got.Parked != (c.most == 0) {
			t.Errorf("%s: parked is %t", c.says, got.Parked)
		}
		if wait := got.Next.Sub(now); !got.Parked && (wait < c.least || wait > c.most) {
			t.Errorf("%s: the next try is in %s, want %s to %s", c.says, wait, c.least, c.most)
		}
	}
}

func TestOperationsThatFailTogetherAreNotRepeatedTogether(t *testing.T) {
	pauses := map[time.Duration]bool{}
	for _, operation := range []string{"a", "b", "c", "d", "e"} {
		pauses[pause(FirstPause, 1, operation)] = true
	}
	if len(pauses) < 4 {
		t.Errorf("five operations have %d different pauses", len(pauses))
	}
}

func TestQuantilesAreValuesThatWereSeen(t *testing.T) {
	list := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for percent, want := range map[int]time.Duration{10: 1, 50: 5, 51: 6, 90: 9, 91: 10, 100: 10} {
		if got := quantile(list, percent); got != want {
			t.Errorf("the %d %% quantile is %d, want %d", percent, got, want)
		}
	}
}
