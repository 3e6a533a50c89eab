package server

import (
	"errors"
	"fmt"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/server/leadership"
)

// What reads the journal waits while that is away, and ends the server for every other reason.
func TestAReaderWaitsForAJournalThatIsAway(t *testing.T) {
	tries, broken := 0, errors.New("it is broken")
	err := again(t.Context(), func() error {
		if tries++; tries < 3 {
			return fmt.Errorf("read: %w", journal.ErrUnavailable)
		}
		return broken
	})
	if tries != 3 || !errors.Is(err, broken) {
		t.Errorf("after %d tries it ends with %v", tries, err)
	}
}

// A server that has served begins again where its database is away. One that never has says what is
// wrong, and ends.
func TestAServerThatServedBeginsAgain(t *testing.T) {
	away := fmt.Errorf("read: %w", journal.ErrUnavailable)
	for ran, want := range map[bool]bool{true: true, false: false} {
		if got := leadership.BeginsAgain(away, ran); got != want {
			t.Errorf("where it served before: %v, it begins again: %v", ran, got)
		}
	}
}
