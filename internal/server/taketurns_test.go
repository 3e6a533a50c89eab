package server

import (
	"context"
	"errors"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// scripted is a runner whose turns end with these errors, one after the other; then it ends all.
type scripted struct {
	errs []error
	end  context.CancelFunc
	took int
}

func (*scripted) Due() fleet.Instant { return 0 }

func (s *scripted) Turn(context.Context, fleet.Instant) error {
	s.took++
	if len(s.errs) == 0 {
		s.end()
		return nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return err
}

// TestARunnerWaitsForAJournalAndEndsWithAnyOtherError: a journal that cannot be reached now ends
// no turns, and so not the server.
func TestARunnerWaitsForAJournalAndEndsWithAnyOtherError(t *testing.T) {
	broken := errors.New("broken")
	for name, x := range map[string]struct {
		errs []error
		took int
		want error
	}{
		"out of reach for two turns": {[]error{journal.ErrUnavailable, journal.ErrUnavailable}, 3, nil},
		"broken":                     {[]error{journal.ErrUnavailable, broken, nil}, 2, broken},
	} {
		ctx, end := context.WithCancel(t.Context())
		r := &scripted{errs: x.errs, end: end}
		if err := takeTurns(ctx, r, func() {}); !errors.Is(err, x.want) || r.took != x.took {
			t.Errorf("%s: %d turns and %v, want %d and %v", name, r.took, err, x.took, x.want)
		}
		end()
	}
}
