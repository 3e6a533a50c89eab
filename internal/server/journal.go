package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// openJournal opens the journal of a data folder, or says why it cannot be and
// what to do.
func openJournal(ctx context.Context, f *folder, salvage bool) (*sqlite.Journal, error) {
	j, err := sqlite.Open(ctx, f.file(journalFile), sqlite.Options{Salvage: salvage})
	var corrupt *journal.CorruptError
	var newer *journal.VersionError
	switch {
	case errors.As(err, &newer), errors.Is(err, journal.ErrReadOnly), errors.Is(err, journal.ErrDiskFull), errors.Is(err, journal.ErrLocked):
		return nil, cli.Malformed(err)
	case errors.As(err, &corrupt) && !salvage && corrupt.Good > 0:
		return nil, fmt.Errorf("%w; start once with --salvage to cut it back to them (the damaged files are kept aside), or bring the journal back from a copy", err)
	case err != nil:
		return nil, err
	}
	return j, nil
}
